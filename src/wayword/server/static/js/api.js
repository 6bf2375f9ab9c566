/** The one place that speaks to the server. */

import { uniqueId } from "./format.js";

/** What went wrong, in the server's words; `status` is 0 when nobody answered. */
export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const UNREACHED = "The server does not answer. Nothing you typed is lost: start it again with “wayword serve”, then try again.";
const PAUSES = [250, 1000];

/** Listeners for the moment that the server no longer knows who we are. */
export const signedOut = new EventTarget();

async function readError(response) {
  try {
    const body = await response.json();
    if (typeof body.error === "string") return body.error;
    if (typeof body.detail === "string") return body.detail;
  } catch {
    // Not JSON: the status has to do.
  }
  return `The server answered ${response.status} ${response.statusText}. Try again; if it stays so, look at what “wayword serve” printed.`;
}

async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(UNREACHED, 0);
  }
  if (!response.ok) {
    const error = new ApiError(await readError(response), response.status);
    if (response.status === 401) signedOut.dispatchEvent(new Event("signed-out"));
    throw error;
  }
  return response;
}

function address(path, params) {
  const given = Object.entries(params ?? {}).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return given.length ? `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : path;
}

async function readJson(response) {
  return response.status === 204 ? null : response.json();
}

/** @param {AbortSignal} [signal] */
export async function get(path, params, signal) {
  return readJson(await request(address(path, params), { signal }));
}

export async function send(method, path, body) {
  const options = body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  return readJson(await request(path, { method, ...options }));
}

export const post = (path, body) => send("POST", path, body);

/** Send a file as it is. */
export async function upload(path, params, file) {
  const headers = { "Content-Type": "application/octet-stream" };
  return readJson(await request(address(path, params), { method: "POST", body: file, headers }));
}

/** Fetch a file and give it to the person; an error stays on the page instead of replacing it. */
export async function download(path, params, fallback) {
  const response = await request(address(path, params));
  const named = /filename="?([^";]+)"?/.exec(response.headers.get("Content-Disposition") ?? "");
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = named ? named[1] : fallback;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has to have begun before the address may go.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return link.download;
}

/** Acts with ids of their own: however often a batch is sent, it is done once. */
export function batch(acts) {
  return { acts, act_ids: acts.map(() => uniqueId()) };
}

const worthAnotherTry = (error) => error instanceof ApiError && [0, 502, 503, 504].includes(error.status);
const sleep = (time) => new Promise((done) => setTimeout(done, time));

/** Send what has an id, again when nobody answers: it is done once. */
async function sendOnce(path, body) {
  for (const pause of PAUSES) {
    try {
      return await post(path, body);
    } catch (error) {
      if (!worthAnotherTry(error)) throw error;
      await sleep(pause);
    }
  }
  return post(path, body);
}

/** Send a batch of acts. */
export const sendBatch = (given) => sendOnce("/api/acts", given);

/** Return what sends an undo or a redo, the same one however often it is called. */
export function move(path, meant = {}) {
  const body = { act_id: uniqueId(), ...meant };
  return () => sendOnce(path, body);
}

const EVENTS = ["acts", "topics", "job", "quality"];

/**
 * Listen to what the server tells by itself.
 * @param {(name: string, data: any) => void} hear
 * @param {(open: boolean) => void} noteState
 */
export function listen(hear, noteState) {
  let source;
  let stopped = false;
  const open = () => {
    source = new EventSource("/api/events");
    source.onopen = () => noteState(true);
    source.onerror = () => {
      noteState(false);
      // Browsers try again by themselves, except after an answer that is an error.
      if (source.readyState === EventSource.CLOSED && !stopped) setTimeout(() => !stopped && open(), 3000);
    };
    for (const name of EVENTS) source.addEventListener(name, (event) => hear(name, JSON.parse(event.data)));
  };
  open();
  return () => {
    stopped = true;
    source.close();
  };
}
