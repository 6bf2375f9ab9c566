/** Numbers and names as people read them. */

const whole = new Intl.NumberFormat("en");

/** 12345 as 12,345. */
export const count = (number) => whole.format(number);

/** A share as a percentage: whole, but for what is small. */
export function percent(share) {
  if (share === null || share === undefined || Number.isNaN(share)) return "–";
  const value = share * 100;
  if (value > 0 && value < 0.5) return "<1 %";
  return `${Math.round(value)} %`;
}

/** A figure with two decimals, or a dash. */
export const decimal = (value) => (value === null || value === undefined ? "–" : value.toFixed(2).replace("-", "−"));

/** "1 document", "2 documents". */
export const many = (number, noun, plural = `${noun}s`) => `${count(number)} ${number === 1 ? noun : plural}`;

/** "a, b and c". */
export function list(names) {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** At most so many letters. */
export const shorten = (text, letters = 40) => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text);

/** First letters, for a face. */
export const initials = (name) => name.trim().split(/\s+/).slice(0, 2).map((word) => [...word][0] ?? "").join("").toUpperCase();

/** A time as the reader's own clock has it. */
export function clock(when) {
  const time = new Date(when);
  return Number.isNaN(time.getTime()) ? when : time.toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
}

/** An id that nothing else has, and that people can still read. */
export function newId(name) {
  const letters = name.normalize("NFKD").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return `${letters.slice(0, 40) || "new"}-${uniqueId().slice(0, 8)}`;
}

/** An id that nothing else has. crypto.randomUUID is missing where a page is served without https. */
export function uniqueId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
