/** The columns of a table of text, by its beginning. */
export interface Head {
  names: string[];
  /** The columns that hold other words than those for on and off: names of rows, or categories. */
  text: string[];
}

/** The columns of a table of text, so that they can be chosen even where it cannot be read; null for other files, and without names. */
export async function head(file: { name: string; slice(from: number, to: number): Blob }): Promise<Head | null> {
  if (!/\.(csv|tsv|txt)$/i.test(file.name)) return null;
  return headOf(await file.slice(0, 65_536).text());
}

const bit = /^(|\?|na|nan|null|none|-?\d+([.,]\d+)?|y|n|yes|no|t|f|true|false|x|\+|-|p|a|present|absent)$/i;

/** The columns of the beginning of a table: separated by whichever of comma, semicolon and tab is most frequent, in quotes or not. */
export function headOf(text: string): Head | null {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/).slice(0, 51), count = (c: string) => lines[0].split(c).length - 1;
  const comma = [",", ";", "\t"].sort((a, b) => count(b) - count(a))[0], names = cells(lines[0], comma);
  const isName = (n: string) => n !== "" && !/^([01]|\?|NA|-?[\d.]+)$/i.test(n);
  if (names.length < 2 || names.filter(isName).length <= names.length / 2 || new Set(names).size < names.length) return null;
  const rows = lines.slice(1, -1).map((l) => cells(l, comma)); // the last line may be cut off
  return { names, text: names.filter((_, i) => rows.some((r) => !bit.test(r[i] ?? ""))) };
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
