/** The documents that we have seen, in order; the last one is the one to label next. */

/**
 * @typedef {object} Sheet
 * @property {any} document a DocumentView
 * @property {string[]} reasons why it was chosen
 * @property {boolean} double whether somebody else labels it too
 * @property {string[]} chosen labels that are pressed
 * @property {string} remark a comment that is not sent yet
 */

/** @returns {Sheet} */
export function makeSheet(document, reasons = [], double = false) {
  return { document, reasons, double, chosen: [...document.labels], remark: "" };
}

export class Desk {
  /** @type {Sheet[]} */
  seen = [];
  place = -1;

  /** The sheet that is shown. */
  get now() {
    return this.seen[this.place] ?? null;
  }

  get atEnd() {
    return this.place >= this.seen.length - 1;
  }

  /** Lay a new document on top. One that is there already is only turned to. */
  add(sheet) {
    const place = this.seen.findIndex((other) => other.document.id === sheet.document.id);
    if (place >= 0) this.seen.splice(place, 1);
    this.seen.push(sheet);
    this.place = this.seen.length - 1;
  }

  /** Go back or on; false where there is nothing more. */
  move(step) {
    const place = this.place + step;
    if (place < 0 || place >= this.seen.length) return false;
    this.place = place;
    return true;
  }

  /** Turn to a document as it is now; one not seen yet comes just before the one to label next. */
  turnTo(document) {
    const place = this.seen.findIndex((other) => other.document.id === document.id);
    if (place >= 0) {
      Object.assign(this.seen[place], { document, chosen: [...document.labels] });
      this.place = place;
      return;
    }
    const before = Math.max(this.seen.length - 1, 0);
    this.seen.splice(before, 0, makeSheet(document));
    this.place = before;
  }
}
