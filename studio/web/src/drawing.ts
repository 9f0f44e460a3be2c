// The image on the canvas of the Draw view, and its explanation. They survive changes of view and model, and a lost connection.
import { row } from "./address.ts";
import type { Bits } from "./bits.ts";
import { words, Problem, type Explained, type Pick } from "./api.ts";
import { bytesOf, floatsOf } from "./decode.ts";
import { History } from "./history.ts";
import { Latest } from "./latest.ts";
import type { Layer } from "./paint.ts";
import { api, Cell } from "./store.ts";

/** An explanation, decoded. */
export interface Shown {
  bits: Bits;
  model: string;
  picks: Pick[];
  start: Float32Array;
  startLogLik: number | null;
  steps: { p: Float32Array; votes: Float32Array; speaker: Int16Array; logLik: number | null }[];
}

export const bits = new Cell<Bits | null>(null);
/** Where the image came from: "" when drawn by hand. */
export const origin = new Cell("");
export const shown = new Cell<Shown | null>(null);
export const problem = new Cell("");
/** The number of picks shown; null: all, even when their number changes. */
export const step = new Cell<number | null>(null);
const histories = new Map<string, History<Bits>>();

function key(b: Bits): string {
  return `${b.height}x${b.width}`;
}

/** Drawings by size, so that a change of model and back keeps them. */
const kept = new Map<string, { bits: Bits; origin: string }>();

export function history(b: Bits): History<Bits> {
  let h = histories.get(key(b));
  if (!h) histories.set(key(b), (h = new History()));
  return h;
}

/** The drawing of a size, or null if there is none yet. */
export function recall(height: number, width: number): boolean {
  const k = kept.get(`${height}x${width}`);
  bits.set(k?.bits ?? null);
  origin.set(k?.origin ?? "");
  return k !== undefined;
}

/** The data set and row that the image is, as "d1 3"; "" for one of one's own, which has no address. */
export let place = "";

/** Shows other bits. The change can be undone unless the caller says otherwise (in the middle of a stroke). */
export function show(b: Bits, from: string, undoable = true, at = ""): void {
  place = at;
  if (!at) row.set(null);
  const before = bits.value;
  if (undoable && before && key(before) === key(b)) history(b).push(before);
  bits.set(b);
  origin.set(from);
  kept.set(key(b), { bits: b, origin: from });
}

export function undo(): void {
  const b = bits.value, before = b && history(b).undo(b);
  if (before) show(before, "", false);
}

export function redo(): void {
  const b = bits.value, after = b && history(b).redo(b);
  if (after) show(after, "", false);
}

export function decode(of: Bits, model: string, e: Explained): Shown {
  return {
    bits: of,
    model,
    picks: e.picks,
    start: floatsOf(e.detail.start),
    startLogLik: e.start_log_lik,
    steps: e.detail.steps.map((s) => ({ p: floatsOf(s.p), votes: floatsOf(s.votes), speaker: speakersOf(s.speakers), logLik: s.log_lik })),
  };
}

const explaining = new Latest<{ model: string; bits: Bits }, Shown>(
  async (asked) => decode(asked.bits, asked.model, await api.explain(asked.model, asked.bits.toImage())),
  (s) => {
    problem.set("");
    shown.set(s);
  },
  (error, { model }) => {
    if (error instanceof Problem && error.offline) return; // requested again when the server is back
    problem.set(words(error));
    if (error instanceof Problem && error.status === 503) setTimeout(() => explain(model), 700); // it is busy
  },
);

/** Requests the explanation of the canvas; while a request is under way, the newest one waits. */
export function explain(model: string): void {
  if (bits.value) explaining.ask({ model, bits: bits.value });
}

/** The pick that decides each pixel, -1 for none. */
export const speakersOf = (base64: string): Int16Array => Int16Array.from(bytesOf(base64), (c) => c - 1);

/** What the first n picks say together, and the deciding pick of each pixel. */
export function layerAt(s: Shown, n: number): Layer {
  const { p, speaker } = n > 0 ? s.steps[n - 1] : { p: s.start, speaker: new Int16Array(s.start.length).fill(-1) };
  return { experts: s.picks.map((x) => x.part), speaker, p, start: s.start };
}

let stroke: { at: number; bits: Bits } | null = null;

/** Starts measuring the time from the end of a stroke to its explanation on the screen (User Timing, "stroke-to-explanation"). */
export function strokeEnded(): void {
  if (!bits.value) return;
  stroke = { at: performance.now(), bits: bits.value };
  painted();
}

/** To be called when the current explanation has been painted. */
export function painted(): void {
  const s = stroke;
  if (!s || shown.value?.bits !== s.bits) return;
  stroke = null;
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel(); // a message after the frame: the browser has painted
    port1.onmessage = () => performance.measure("stroke-to-explanation", { start: s.at, end: performance.now() });
    port2.postMessage(null);
  });
}
