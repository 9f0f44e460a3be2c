/** The names in the first line of a table of text, so that columns can be chosen even where the table cannot be read; null for other files. */
export async function head(file: { name: string; slice(from: number, to: number): Blob }): Promise<string[] | null> {
  if (!/\.(csv|tsv|txt)$/i.test(file.name)) return null;
  return names(await file.slice(0, 65_536).text());
}

/** The cells of the first line: separated by whichever of comma, semicolon and tab is most frequent, in quotes or not. */
export function names(text: string): string[] | null {
  const line = text.replace(/^\uFEFF/, "").split(/\r?\n/, 1)[0], count = (c: string) => line.split(c).length - 1;
  const comma = [",", ";", "\t"].sort((a, b) => count(b) - count(a))[0], out: string[] = [];
  let cell = "", quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (quoted && c === '"' && line[i + 1] === '"') { cell += c; i++; }
    else if (c === '"') quoted = !quoted;
    else if (c === comma && !quoted) { out.push(cell.trim()); cell = ""; }
    else cell += c;
  }
  out.push(cell.trim());
  const isName = (n: string) => n !== "" && !/^(0|1|\?|NA|-?[\d.]+)$/i.test(n);
  return out.length > 1 && out.filter(isName).length > out.length / 2 && new Set(out).size === out.length ? out : null;
}
