// What things are called: parts, columns, rows.

/** The name of part k, from 0, or its number for people, from 1: "wet meadow", "part 4". */
export function called(model: { parts: { name: string }[] | null } | null, k: number): string {
  return model?.parts?.[k]?.name || `part ${k + 1}`;
}

/** The name of part k with its number: "wet meadow (part 3)", "part 3". */
export function fully(model: { parts: { name: string }[] | null } | null, k: number): string {
  const name = model?.parts?.[k]?.name;
  return name ? `${name} (part ${k + 1})` : `part ${k + 1}`;
}

/** The file of a model of this name. */
export function fileOf(model: string): string {
  return `${model.replaceAll(/[^\p{L}\p{N}]+/gu, "-")}.npz`;
}

/** What one of several things is called: its name, with its place among those of one name, "mild.csv · 2". */
export function apart<T extends { id: string; name: string }>(all: T[], one: T): string {
  const alike = all.filter((x) => x.name === one.name), at = alike.findIndex((x) => x.id === one.id);
  return alike.length > 1 && at >= 0 ? `${one.name} · ${at + 1}` : one.name;
}

/** The name of a column, or its number from 1. */
export function column(model: { columns?: string[] | null }, i: number): string {
  return model.columns?.[i] ?? `column ${i + 1}`;
}

/** "a", "a and b", "a, b and 3 more": a list of at most most names. */
export function list(names: string[], most = 3): string {
  if (names.length <= 1) return names.join("");
  const left = names.length - most;
  if (left > 0) return `${names.slice(0, most).join(", ")} and ${left} more`;
  return `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

/** Why a row has a part. */
export interface Reason {
  part: number;
  /** The columns that speak for the part by being there, the weightiest first, and those by being absent. */
  there: string[];
  absent: string[];
  /** No known column speaks for the part: it is there because most rows have it. */
  usual?: boolean;
}

/** A row in words: which parts it has and why, what nothing explains, what the parts expect in vain. */
export interface Told {
  /** Whether any column of the row is known. */
  known: boolean;
  reasons: Reason[];
  unexplained: string[];
  missing: string[];
}

const likely = (p: number, on: boolean) => Math.log(Math.max(1e-12, on ? p : 1 - p));

/** Whether a gain, in nats, is none: the part is there because most rows have it, and not because of this row. */
export const gainless = (gain: number | null | undefined) => gain != null && Math.abs(gain) < 0.005;

/**
 * Tells a row by its explanation. cells are 0, 1 or null for unknown; votes of a pick are NaN where it abstains; start and p are the
 * probabilities before the picks and with all of them.
 */
export function tell(cells: (number | null)[], start: Float32Array, p: Float32Array, picks: { part: number; gain?: number | null; votes: Float32Array }[], name: (column: number) => string): Told {
  const because = new Set<number>();
  const reasons = picks.map(({ part, gain, votes }) => {
    const weights: [number, number][] = [];
    votes.forEach((v, i) => {
      if (cells[i] === null || Number.isNaN(v)) return;
      const on = cells[i] === 1, more = likely(v, on) - likely(start[i], on);
      if (more <= 0.05 || likely(p[i], on) <= likely(start[i], on)) return; // other parts speak louder against it
      weights.push([more, i]);
      because.add(i);
    });
    const best = weights.sort((a, b) => b[0] - a[0]), those = (value: number) => best.filter(([, i]) => cells[i] === value).map(([, i]) => name(i));
    return { part, there: those(1), absent: those(0), ...(gainless(gain) && weights.length === 0 ? { usual: true } : {}) };
  });
  const unexplained: string[] = [], missing: string[] = [];
  p.forEach((v, i) => {
    if (cells[i] === 1 && v < 0.5 && !because.has(i)) unexplained.push(name(i));
    if (cells[i] === 0 && v > 0.5 && v > start[i]) missing.push(name(i));
  });
  return { known: cells.some((c) => c !== null), reasons, unexplained, missing };
}

/** A told row as text; what is there says more than what is not. */
export function sentence(row: string, t: Told, part: (k: number) => string): string {
  const are = (names: string[]) => (names.length === 1 ? "is" : "are");
  const parts = t.reasons.map((r) => part(r.part) + (r.there.length ? ` because of ${list(r.there)}` : r.absent.length ? ` because ${list(r.absent)} ${are(r.absent)} absent` : r.usual && t.known ? " because most rows have it" : ""));
  if (!t.known) return parts.length ? `${row}: nothing is known of it. Most rows have ${list(parts)}.` : `${row}: nothing is known of it.`;
  const first = parts.length ? `${row}: ${parts.join("; ")}.` : `${row}: no part is needed, the background alone explains it.`;
  return first + (t.unexplained.length ? ` Nothing explains ${list(t.unexplained)}.` : parts.length ? " Nothing is left unexplained." : "") + (t.missing.length ? ` ${parts.length === 1 ? "It expects" : "They expect"} ${list(t.missing)}, too.` : "");
}
