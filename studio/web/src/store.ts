// The state of the whole page. Views read it by useCell and change it by set.
import { useEffect, useState } from "preact/hooks";
import { Api, words, type Data, type Model, type Server } from "./api.ts";
import { remote } from "./backend.ts";
import { isKept, keep, restore } from "./keep.ts";
import { Latest } from "./latest.ts";
import { core, Local } from "./local.ts";

/** A value that can be watched. */
export class Cell<T> {
  private watchers = new Set<() => void>();
  value: T;

  constructor(value: T) {
    this.value = value;
  }

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    // oxlint-disable-next-line unicorn/no-useless-spread -- a copy: watchers come and go while they are called
    for (const w of [...this.watchers]) w();
  }

  watch(w: () => void): () => void {
    this.watchers.add(w);
    return () => this.watchers.delete(w);
  }
}

/** Reads a cell and renders again when it changes. */
export function useCell<T>(cell: Cell<T>): T {
  const [, render] = useState(0);
  useEffect(() => {
    const value = cell.value;
    const off = cell.watch(() => render((n) => n + 1));
    if (!Object.is(value, cell.value)) render((n) => n + 1);
    return off;
  }, [cell]);
  return cell.value;
}

export type Link = "connecting" | "up" | "down" | "token";

export const api = new Api(core ? new Local(core) : remote);
/** What keeps models and data, in words. */
export const home = api.backend.here
  ? { here: true, it: "This page", on: "in this tab" }
  : { here: false, it: "The server", on: "on the server" };
export const link = new Cell<Link>("connecting");
export const server = new Cell<Server | null>(null);
export const models = new Cell<Model[]>([]);
export const modelID = new Cell<string>("");
export const data = new Cell<Data[]>([]);
/** Counts connections to the server: views that depend on it reload after each. */
export const arrivals = new Cell(0);

export function currentModel(): Model | null {
  return models.value.find((m) => m.id === modelID.value) ?? null;
}

export function useModel(): Model | null {
  const all = useCell(models), id = useCell(modelID);
  return all.find((m) => m.id === id) ?? null;
}

/** Said when an address names a model that is not there. */
export const missing = new Cell("");

/** Reloads the lists. If the chosen model is gone, one of the same size replaces it, else the operator's first, else the first for images. */
export async function refresh(): Promise<void> {
  const before = currentModel();
  const [s, m, sets] = await Promise.all([api.server(), api.models(), api.data()]);
  server.set(s);
  data.set(sets);
  if (!m.some((x) => x.id === modelID.value)) {
    const same = before && m.find((x) => x.height === before.height && x.width === before.width), asked = modelID.value;
    if (asked && !before && s.ready) missing.set(`${home.here ? "This page" : "This server"} has no model ${asked}, which the address names; it may have been removed, or the ${home.here ? "page loaded again" : "server restarted"}.`);
    if (s.ready || !asked || before) modelID.set((same ?? m.find((x) => x.source === "file") ?? m.find((x) => !x.table) ?? m[0])?.id ?? "");
  } else missing.set("");
  models.set(m);
  if (home.here) keeping.ask(m);
}

/** Whether rows and images hold numbers; else bits. */
export const ofNumbers = (x: Model | Data): boolean => x.values === "real";

/** The view that explains with a model: rows, or images of bits that are drawn. */
export const viewOf = (model: Model): "rows" | "draw" => (model.table || ofNumbers(model) ? "rows" : "draw");

/** Chooses a model for a view that explains, if the current one is for the other. */
export function wantModelFor(view: "rows" | "draw"): void {
  const now = currentModel(), other = models.value.find((m) => viewOf(m) === view);
  if (other && (!now || viewOf(now) !== view)) modelID.set(other.id);
}

/** Names of parts that were given in this page and are in no file yet: "m1 0" is part 0 of m1. */
export const unsaved = new Cell<ReadonlySet<string>>(new Set());

/** The models that were downloaded. */
const saved = new Set<string>();

// Asks before what was learned is lost, where a page without a server could not keep it.
addEventListener("beforeunload", (e) => {
  if (home.here && models.value.some((m) => m.source === "learned" && !saved.has(m.id) && !isKept(m))) e.preventDefault();
});

/** Why this page could not keep its models; else empty. */
export const unkept = new Cell("");
const keeping = new Latest((all: Model[]) => keep(api, all), () => unkept.set(""), (e) => unkept.set(words(e)));

/** Restores what a page without a server has kept, once. */
let restored: Promise<void> | null = home.here ? null : Promise.resolve();
const restoring = () => (restored ??= restore(api).catch((e: unknown) => unkept.set(words(e))));

/** The file of a model, which holds all names given so far. */
export async function modelFile(id: string): Promise<Blob> {
  saved.add(id);
  const file = await api.file("GET /v1/models/{id}/file", { path: { id } });
  unsaved.set(new Set([...unsaved.value].filter((n) => !n.startsWith(`${id} `))));
  return file;
}

/** Gives part k of a model another name; "" removes it. */
export async function namePart(model: Model, k: number, name: string): Promise<void> {
  await api.call("PATCH /v1/models/{id}/experts/{k}", { path: { id: model.id, k }, body: { name } });
  unsaved.set(new Set([...unsaved.value, `${model.id} ${k}`]));
  await refresh();
}

/** Connects, and if the connection is lost tries again every second. */
export async function connect(): Promise<void> {
  try {
    await restoring();
    await refresh();
    link.set("up");
    arrivals.set(arrivals.value + 1);
    while (link.value === "up" && server.value && !server.value.ready) {
      await new Promise((r) => setTimeout(r, 300)); // the server is still learning its first models
      await refresh();
    }
  } catch (error) {
    if (link.value === "token") return;
    console.info("studio:", words(error));
    link.set("down");
    retry();
  }
}

let waiting = 0;

function retry(): void {
  clearTimeout(waiting);
  waiting = window.setTimeout(() => void knock(), 1000);
}

async function knock(): Promise<void> {
  try {
    // Not through api, which would report again that the server is away.
    if (await api.backend.awake()) return void connect();
  } catch {
    // Still away.
  }
  retry();
}

api.onOffline = () => {
  if (link.value === "down") return;
  link.set("down");
  retry();
};
api.onToken = () => link.set("token");

/** The data sets that fit a model: images of its size, or of scenes no smaller ones; of a table the same columns in any order, of numbers among others. */
export function fitting(model: Model | null, all: Data[]): Data[] {
  if (!model) return [];
  const key = (columns: string[]) => columns.toSorted().join("\n"), { columns } = model, [height, width] = model.images;
  const fits = (d: Data) => {
    if (model.table && columns && d.columns) return ofNumbers(model) ? columns.every((c) => d.columns?.includes(c)) : key(d.columns) === key(columns);
    return model.scene ? d.height >= model.height && d.width >= model.width : d.height === height && d.width === width;
  };
  return all.filter((d) => d.values === model.values && fits(d));
}
