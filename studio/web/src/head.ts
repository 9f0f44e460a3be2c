/** The columns of a table of text, by its beginning. */
export interface Head {
  names: string[];
  /** The columns that hold other words than those for on and off: names of rows, or categories. */
  text: string[];
}

/** What a column is for: data, the name of the row, categories to be made into a column each, or nothing. */
export type Role = "data" | "label" | "categories" | "out";

/** What was understood of a table that was read: the names of its data and of its labels. */
interface Understood {
  columns: string[] | null;
  labels: Record<string, unknown>;
}

/** What a column was read as; before anything was read, or without names, what its cells look like. */
export function roleOf(column: string, read: Understood | null, columns: Head | null): Role {
  if (read && column in read.labels) return "label";
  if (!read?.columns) return columns?.text.includes(column) ? "label" : "data";
  if (read.columns.includes(column)) return "data";
  return read.columns.some((c) => c.startsWith(`${column}=`)) ? "categories" : "out";
}

/** The columns of a table of text, so that they can be chosen even where it cannot be read; null for other files, and without names. */
export async function head(file: { name: string; slice(from: number, to: number): Blob }): Promise<Head | null> {
  if (!/\.(csv|tsv|txt)$/i.test(file.name)) return null;
  return headOf(await file.slice(0, 65_536).text());
}

/** The words that are cells of data, as package dataset reads them (cellWords; a test compares). */
const words = new Set([
  "", "?", "na", "n/a", "#n/a", "<na>", "\\n", "nan", "null", "none", ".", "+", "-", "x", "p", "a",
  "checked", "selected", "on", "unchecked", "not selected", "unselected", "off", "✓", "✔", "✔️", "☑", "•", "●",
  "y", "yes", "t", "true", "present", "positive", "pos", "detected", "ja", "oui", "sí", "sim", "tak", "evet", "wahr", "vrai", "verdadero", "vero", "да",
  "n", "no", "f", "false", "absent", "negative", "neg", "not detected", "undetected", "not present", "nein", "non", "não", "nee", "nej", "nie", "hayır", "falsch", "faux", "falso", "нет",
]);
/** A number, but for one with zeros in front, which is a code. */
const digits = /^(?!0\d)[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i;
const isData = (cell: string) => words.has(cell.toLowerCase()) || digits.test(cell);

/** The columns of the beginning of a table: separated by whichever of comma, semicolon and tab is most frequent, in quotes or not. */
export function headOf(text: string): Head | null {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/).slice(0, 51), count = (c: string) => lines[0].split(c).length - 1;
  const comma = [",", ";", "\t"].sort((a, b) => count(b) - count(a))[0], names = cells(lines[0], comma);
  const isName = (n: string) => n !== "" && !/^([01]|\?|NA|-?[\d.]+)$/i.test(n);
  if (names.length < 2 || names.filter(isName).length <= names.length / 2 || new Set(names).size < names.length) return null;
  const rows = lines.slice(1, -1).map((l) => cells(l, comma)); // the last line may be cut off
  return { names, text: names.filter((_, i) => rows.some((r) => !isData(r[i] ?? ""))) };
}

function cells(line: string, comma: string): string[] {
  const out: string[] = [];
  let cell = "", quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (quoted && c === '"' && line[i + 1] === '"') { cell += c; i++; }
    else if (c === '"') quoted = !quoted;
    else if (c === comma && !quoted) { out.push(cell.trim()); cell = ""; }
    else cell += c;
  }
  return [...out, cell.trim()];
}
