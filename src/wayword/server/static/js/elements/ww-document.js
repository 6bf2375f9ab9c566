/**
 * The text of a document, its words coloured by the label they speak for.
 *
 * Text is only ever made of text nodes. Colours are laid behind letters and change no width, so that turning them on
 * or off moves nothing.
 */

import { h } from "../dom.js";
import { labelHue, labelName } from "../state.js";

/** Cut a text where words or sentences begin or end; each piece knows its word and its sentence. */
function cutPieces(text, words, sentences) {
  const inside = (span) => span.start >= 0 && span.end <= text.length && span.start < span.end;
  const spans = { words: words.filter(inside), sentences: sentences.filter(inside) };
  const borders = new Set([0, text.length]);
  for (const span of [...spans.words, ...spans.sentences]) borders.add(span.start).add(span.end);
  const places = [...borders].sort((a, b) => a - b);
  const at = { words: byStart(spans.words), sentences: byStart(spans.sentences) };
  return places.slice(0, -1).map((start, k) => ({ text: text.slice(start, places[k + 1]), word: at.words(start), sentence: at.sentences(start) }));
}

/** Return a function that finds the span over a place; places must be asked for in rising order. */
function byStart(spans) {
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  let next = 0;
  let now = null;
  return (place) => {
    while (next < sorted.length && sorted[next].start <= place) now = sorted[next++];
    return now && place < now.end ? now : null;
  };
}

class DocumentText extends HTMLElement {
  connectedCallback() {
    this.classList.add("text");
  }

  /**
   * @param {any} view a DocumentView
   * @param {{sentences?: boolean}} [how]
   */
  show(view, { sentences = false } = {}) {
    const paragraph = h("div", { class: "letters", dir: "auto" });
    for (const piece of cutPieces(view.text, view.words, sentences ? view.sentences : [])) paragraph.append(this.#makePiece(piece));
    const rest = view.truncated && h("p", { class: "quiet small rest" }, "This document is very long: only its beginning is shown here. Labels and topics count all of it.");
    const nothing = !view.text.trim() && h("p", { class: "quiet small" }, "This document is empty.");
    this.replaceChildren(...[nothing || paragraph, rest].filter(Boolean));
  }

  #makePiece({ text, word, sentence }) {
    if (!word && !sentence) return document.createTextNode(text);
    const span = h("span", { class: [word && "word", sentence && "sentence"].filter(Boolean).join(" ") }, text);
    if (word) {
      span.style.setProperty("--hue", labelHue(word.label));
      span.style.setProperty("--strength", (0.15 + 0.85 * word.weight).toFixed(2));
      span.dataset.label = word.label;
      span.title = labelName(word.label);
    }
    if (sentence) {
      span.dataset.sentence = sentence.label;
      span.style.setProperty("--line", labelHue(sentence.label));
    }
    return span;
  }

  /** Let only the words and the sentence of one label stand out; of all with an empty id. */
  light(label) {
    this.classList.toggle("one", Boolean(label));
    for (const span of this.querySelectorAll(".word, .sentence")) {
      span.classList.toggle("lit", Boolean(label) && span.dataset.label === label);
      span.classList.toggle("lit-line", Boolean(label) && span.dataset.sentence === label);
    }
  }
}
customElements.define("ww-document", DocumentText);
