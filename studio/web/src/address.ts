// Where the page is: view, model, data, row and part. It is the fragment of the address, so that the back button, bookmarks and
// shared addresses work.
import { format, parse, type Place, type View } from "./place.ts";
import { Cell, modelID } from "./store.ts";

export const view = new Cell<View>("start");
/** The chosen data set; "" for none. */
export const dataID = new Cell("");
/** The chosen row or image of the data set, from 0; null for none. */
export const row = new Cell<number | null>(null);
/** The part that is open; null for none. */
export const part = new Cell<number | null>(null);

/** Whether the address names no view, so that the page may choose the first one. */
export let open = true;

/** The views that explain data by a model. */
const explaining: ReadonlySet<View> = new Set<View>(["experts", "draw", "rows"]);
/** Data set and row of the views that were left. */
const kept = new Map<View, { data: string; row: number | null }>();

function enter(to: View): void {
  open = false;
  if (to === view.value) return;
  const before = { data: dataID.value, row: row.value }, last = kept.get(to);
  kept.set(view.value, before);
  // What is explored is looked at row by row.
  const data = explaining.has(to) && explaining.has(view.value) && before.data ? before.data : last?.data ?? "";
  dataID.set(data);
  row.set(last?.data === data ? last.row : null);
  view.set(to);
}

function read(): void {
  const p = parse(location.hash);
  if (p.view) enter(p.view);
  if (p.model) modelID.set(p.model);
  if (p.data !== undefined) {
    dataID.set(p.data);
    row.set(p.row ?? null);
  }
  part.set(p.part ?? null);
}

let push = false, waiting = false;

function write(): void {
  waiting = false;
  const to = format({ view: view.value, model: modelID.value, data: dataID.value, row: row.value ?? undefined, part: part.value ?? undefined });
  if (to !== location.hash) history[push ? "pushState" : "replaceState"](null, "", to);
  push = false;
}

function changed(): void {
  if (!waiting) queueMicrotask(write);
  waiting = true;
}

/** Goes to another place, to which the back button leads back from the next. */
export function go(to: Place): void {
  push = true;
  if (to.view) enter(to.view);
  if (to.model !== undefined) modelID.set(to.model);
  if (to.data !== undefined) {
    if (to.data !== dataID.value) row.set(null);
    dataID.set(to.data);
  }
  if (to.row !== undefined) row.set(to.row);
  part.set(to.part ?? null);
  changed();
}

/** Starts to follow the address. */
export function follow(): void {
  read();
  addEventListener("popstate", read);
  for (const cell of [view, modelID, dataID, row, part]) (cell as Cell<unknown>).watch(changed);
}
