// Files that people open: what was read, how, and the way to read it differently. The files stay in the page, so that they can be
// read again without being chosen again.
import { Problem, words, type Ask, type Data, type Model, type Sent } from "./api.ts";
import { Bits } from "./bits.ts";
import { go, view } from "./address.ts";
import * as drawing from "./drawing.ts";
import * as learning from "./learning.ts";
import { bytesFrom } from "./local.ts";
import { kinds } from "./plain.ts";
import { api, Cell, currentModel, fitting, models, ofNumbers, refresh, viewOf } from "./store.ts";

/** How to read; empty text leaves it to the server. */
export interface How {
  /** The model whose data these are read like, its columns matched by name; "" for none. */
  model: string;
  /** What columns of a table are, by name, or all of them by "*", as far as that was chosen: one of kinds. */
  column: Record<string, string>;
  /** What a line of a text is: a row of columns, a list of items, or a pair of a row and an item. */
  line: "row" | "items" | "pair";
  /** The columns of row and item of a pair. */
  pair: [string, string];
  /** "auto", or a number in text. */
  threshold: string;
  invert: boolean;
  /** "56x56": pictures are brought to this size, rows become images; "columns": rows are columns in the file. */
  size: string;
  /** Cells that say that nothing is known, with commas: 99, or price=9.99e8 in one column. */
  missing: string;
}

export interface Opened {
  files: Sent[];
  name: string;
  how: How;
  /** The columns of a table, from the first time that it was read. */
  columns: string[];
  data: Data | null;
  wrong: string;
  /** Flags of a command line, each of which helps where something is wrong. */
  fix: string[];
  busy: boolean;
}

export const asItIs: How = { model: "", column: {}, line: "row", pair: ["", ""], threshold: "", invert: false, size: "", missing: "" };
export const opened = new Cell<Opened | null>(null);
/** A page on which symbols are to be found. */
export const scan = new Cell<File | null>(null);
/** What went wrong with a file that is no data. */
export const refused = new Cell("");

/** How to read as parameters of a request. Rows of numbers that become images stay numbers. */
function query(how: How, { columns, data }: Opened): Ask<"POST /v1/data">["query"] {
  const stay = data && ofNumbers(data) && how.size && how.size !== "columns" && !how.threshold ? { "*": "number" } : {};
  const model = how.model ? { model: how.model } : {}, column = Object.entries({ ...stay, ...how.column }).map(([name, kind]) => `${name}=${kind}`);
  if (how.line === "items") return { ...model, items: true };
  if (how.line === "pair") return { ...model, pairs: how.pair.map((p, i) => p || columns[i] || String(i + 1)).join(",") };
  return { ...model, ...(column.length > 0 ? { column } : {}), ...(how.size ? { size: how.size } : {}), ...(how.threshold ? { threshold: how.threshold } : {}), ...(how.invert ? { invert: true } : {}), ...(how.missing ? { missing: how.missing } : {}) };
}

/** What a flag of a command line asks for, as a change of the form, and in words; null where the form has nothing for it. */
export function fixed(flag: string, how: How): { how: How; words: string } | null {
  const [, name, value = ""] = /^--(\S+) ?(.*)$/.exec(flag.replaceAll(/['"]/g, "")) ?? [], at = value.lastIndexOf("="), column = value.slice(0, at), kind = value.slice(at + 1);
  if (name === "column" && at > 0) return { how: { ...how, column: { ...how.column, [column]: kind } }, words: column === "*" ? `Read them as ${kinds[kind] ?? kind}` : `${column} is ${kinds[kind] ?? kind}` };
  if (name === "missing") return { how: { ...how, missing: [how.missing, value].filter((s) => s).join(",") }, words: `Nothing is known where they are ${value.replaceAll(",", ", ")}` };
  if (name === "size" && /^\d+x\d+$/.test(value)) return { how: { ...how, size: value }, words: `Bring the pictures to ${value.replace("x", " × ")}` };
  if (name === "size" && value === "columns") return { how: { ...how, size: value }, words: "The columns are what is to be described" };
  if (name === "threshold") return { how: { ...how, threshold: value }, words: value === "auto" ? "Find a threshold for each image" : `On is what is greater than ${value}` };
  return null;
}

/** Takes files: a picture onto the canvas, a model, or data. */
export async function take(files: Sent[]): Promise<void> {
  const all = files.filter((f) => !f.path.split("/").some((p) => p.startsWith(".")));
  if (all.length === 0) return;
  refused.set("");
  const model = currentModel(), [{ file }] = all;
  try {
    if (all.length === 1 && view.value === "draw" && model && viewOf(model) === "draw" && isShown(file)) {
      const bits = await picture(all, model);
      opened.set(null);
      drawing.show(bits, file.name);
      return drawing.step.set(null);
    }
    if (all.length === 1 && (view.value === "start" || view.value === "find") && isShown(file)) {
      scan.set(file);
      return go({ view: "find" });
    }
    if (all.length === 1 && /\.npz$/i.test(file.name) && (await isModel(file))) return await takeModel(file);
    if (all.length === 1 && /\.html?$/i.test(file.name)) return await takeModel(await modelIn(file));
  } catch (error) {
    opened.set(null);
    refused.set(words(error));
    return;
  }
  const folder = all[0].path.includes("/") ? all[0].path.split("/")[0] : "", name = all.length === 1 ? file.name : folder || `${all.length} files`;
  const like = view.value === "learn" ? undefined : await likely(model, all);
  const how: How = { ...asItIs, model: like?.id ?? "" };
  opened.set({ files: all, name, how, columns: [], data: null, wrong: "", fix: [], busy: true });
  await readAgain(how);
}

/** The models whose data others may be read like: those of people, as the built-in ones say nothing of reading. */
export const readers = (all: Model[]): Model[] => all.filter((m) => m.source !== "built-in");

/** The chosen model, if files may be meant for it: of people's own, of the same kind, with a column in common. */
async function likely(model: Model | null, files: Sent[]): Promise<Model | undefined> {
  if (!model || readers([model]).length === 0) return undefined;
  const pictures = files.every((f) => isPicture(f.file)), table = files.every((f) => /\.(csv|tsv|txt|parquet)(\.gz|\.zst)?$/i.test(f.file.name));
  if (model.table ? pictures : table) return undefined;
  if (!files[0].file.name.endsWith(".csv") || !model.columns) return model;
  const first = (await files[0].file.slice(0, 65_536).text()).split("\n", 1)[0];
  return model.columns.some((n) => first.includes(n)) ? model : undefined;
}

/** Whether a file is a picture. */
const isPicture = (file: File): boolean => file.type.startsWith("image/") || /\.(png|jpe?g?|jfif|gif|webp|bmp|dib|tiff?|p[bgpn]m)$/i.test(file.name);
/** Whether a browser shows a picture; others may hold several. */
const isShown = (file: File): boolean => isPicture(file) && !/\.(tiff?|p[bgpn]m)$/i.test(file.name);

/** A picture as bits of a model's size: as a model of people's own reads pictures, else its ink brought to the size. */
async function picture(files: Sent[], model: Model): Promise<Bits> {
  const [height, width] = model.images, own = readers([model]).length > 0;
  for (const how of [...(own ? [{ model: model.id }] : []), { size: `${height}x${width}` }]) {
    try {
      const d = await api.addData(files, files[0].file.name, how);
      const { images } = await api.images(d.id, 0, 1);
      await api.removeData(d.id);
      if (d.height === height && d.width === width && images[0].bits) return Bits.parse(images[0]);
    } catch (error) {
      if ("size" in how) throw new Error(`${files[0].file.name} was not read: ${words(error)}`, { cause: error });
    }
  }
  throw new Error(`${files[0].file.name} is no picture of ${height} × ${width} pixels.`);
}

/** A model file has a member model.json, whose name stands in the archive as it is. */
async function isModel(file: File): Promise<boolean> {
  const text = new TextDecoder("latin1").decode(await file.slice(Math.max(0, file.size - 65_536)).arrayBuffer());
  return text.includes("model.json");
}

/** The model that a report brings along. */
async function modelIn(report: File): Promise<File> {
  const [, text] = /<a id="model" [^>]*base64,([\w+/=]+)"/.exec(await report.text()) ?? [];
  if (!text) throw new Error(`${report.name} was not read: it is a page, but no report with a model in it.`);
  return new File([bytesFrom(atob(text))], report.name.replace(/\.html?$/i, ".npz"));
}

async function takeModel(file: File): Promise<void> {
  let m;
  try {
    m = await api.addModel(file);
  } catch (error) {
    throw new Error(`${file.name} was not read: ${words(error)}`, { cause: error });
  }
  await refresh();
  opened.set(null);
  go({ view: viewOf(m) === "rows" || view.value === "rows" ? viewOf(m) : view.value, model: m.id });
}

/** The files of the data sets that were read in this page. */
const readHere = new Map<string, { name: string; files: Sent[] }>();

/** Whether two choices of files have the same paths and bytes; a file that has changed on disk since is no longer the same. */
async function same(a: Sent[], b: Sent[]): Promise<boolean> {
  if (a.length !== b.length || a.some((f, i) => f.path !== b[i].path || f.file.size !== b[i].file.size)) return false;
  try {
    for (let i = 0; i < a.length; i++) {
      if (a[i].file === b[i].file) continue;
      const [x, y] = (await Promise.all([a[i].file.arrayBuffer(), b[i].file.arrayBuffer()])).map((bytes) => new Uint8Array(bytes));
      if (x.some((v, j) => v !== y[j])) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/** Forgets the data sets that the same files, opened before, have become. */
async function replace(now: Opened, by: Data): Promise<void> {
  for (const [id, old] of readHere) {
    if (id !== by.id && old.name === now.name && (await same(old.files, now.files))) {
      readHere.delete(id);
      await api.removeData(id).catch(() => undefined); // it may be gone already
    }
  }
  readHere.set(by.id, { name: now.name, files: now.files });
}

/** Reads the opened files, again if they were read before; the data set of before is forgotten. */
export async function readAgain(how: How): Promise<void> {
  const now = opened.value;
  if (!now) return;
  opened.set({ ...now, how, busy: true });
  try {
    const d = await api.addData(now.files, now.name, query(how, now));
    await replace(now, d);
    await refresh();
    if (opened.value?.how !== how) return; // it was read again in the meantime
    const columns = now.columns.length > 0 || how.line !== "row" ? now.columns : [...new Set(d.plan?.map((c) => c.name))];
    opened.set({ ...now, how, columns, data: d, wrong: "", fix: [], busy: false });
    learning.wrong.set("");
    if (now.data && now.data.values === d.values) go({ data: d.id });
    else await present(d);
  } catch (error) {
    opened.set({ ...now, how, wrong: words(error), fix: error instanceof Problem ? error.fix : [], busy: false });
  }
}

/** Shows new data: with a model that fits, if there is one, else where a model is learned. A built-in model of a table fits nothing that
 * people bring, whatever its size. */
async function present(d: Data): Promise<void> {
  const now = models.value.find((m) => m.id === opened.value?.how.model) ?? currentModel(), rows = d.table || ofNumbers(d);
  const fit = [...(now ? [now] : []), ...models.value].find((m) => m.table === d.table && (!rows || m.source !== "built-in") && fitting(m, [d]).length > 0);
  if (!fit || (!rows && view.value === "learn")) return go({ view: "learn", data: d.id });
  if (rows) return go({ view: "experts", model: fit.id, data: d.id });
  go({ view: "draw", model: fit.id, data: d.id, row: 0 });
}

/** The files of a drop, folders included. */
export async function dropped(transfer: DataTransfer | null): Promise<Sent[]> {
  const entries = [...(transfer?.items ?? [])].map((i) => i.webkitGetAsEntry?.()).filter((e) => e !== null && e !== undefined);
  if (!entries.some((e) => e.isDirectory)) return [...(transfer?.files ?? [])].map((file) => ({ file, path: file.name }));
  const out: Sent[] = [];
  for (const e of entries) await walk(e, out);
  return out;
}

/** At most this many files are sent. */
const mostFiles = 20_000;

async function walk(entry: FileSystemEntry, out: Sent[]): Promise<void> {
  if (out.length >= mostFiles) return;
  if (entry.isFile) {
    const file = await new Promise<File>((found, failed) => (entry as FileSystemFileEntry).file(found, failed));
    out.push({ file, path: entry.fullPath.replace(/^\//, "") });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((found, failed) => reader.readEntries(found, failed));
    if (some.length === 0) return;
    for (const e of some) await walk(e, out);
  }
}

/** The files of an input, with their folders if a folder was chosen. */
export function chosen(files: FileList | null): Sent[] {
  return [...(files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}
