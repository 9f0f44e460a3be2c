// The symbols of the Classes view, and which of them the drawing on its pad is. They survive changes of view.
import { Problem, words } from "./api.ts";
import { Bits } from "./bits.ts";
import { decode, type Shown } from "./drawing.ts";
import { History } from "./history.ts";
import { Latest } from "./latest.ts";
import { api, Cell } from "./store.ts";

/** The side of a drawing in pixels. */
export const side = 40;

/** A symbol and its examples. */
export interface Symbol {
  name: string;
  images: Bits[];
}

/** What a drawing is, and why. */
export interface Verdict {
  bits: Bits;
  class: string;
  second: string;
  probabilities: { name: string; p: number }[];
  logOdds: number;
  example: Bits;
  number: number;
  left: number;
  missing: number;
  shown: Shown;
}

export const pad = new Cell(new Bits(side, side));
export const past = new History<Bits>();
export const symbols = new Cell<Symbol[]>([]);
export const verdict = new Cell<Verdict | null>(null);
export const problem = new Cell("");

const naming = new Latest<{ bits: Bits; all: Symbol[] }, Verdict>(
  async ({ bits, all }) => {
    const x = await api.classify(all.map((s) => ({ name: s.name, images: s.images.map((b) => b.toImage()) })), bits.toImage());
    const of = all.find((s) => s.name === x.class) as Symbol;
    return {
      bits, class: x.class, second: x.second, probabilities: x.classes.map((name, i) => ({ name, p: x.probabilities[i] })).sort((a, b) => b.p - a.p),
      logOdds: x.log_odds ?? Infinity, example: of.images[x.example], number: x.example, left: x.left, missing: x.missing,
      shown: decode(bits, "", { index: 0, picks: x.picks, start_log_lik: null, log_lik: null, log_lik_model: null, detail: x.detail }),
    };
  },
  (v) => {
    problem.set("");
    verdict.set(v);
  },
  (error) => {
    if (error instanceof Problem && error.offline) return;
    problem.set(words(error));
  },
);

/** Asks what the drawing is, if there are two symbols to tell apart; while a request is under way, the newest one waits. */
export function ask(): void {
  if (symbols.value.length > 1 && pad.value.ink() > 0) naming.ask({ bits: pad.value, all: symbols.value });
  else verdict.set(null);
}

/** Adds the drawing to a symbol, a new one if there is none of that name, and clears the pad. */
export function add(name: string): void {
  const all = symbols.value, drawing = pad.value;
  if (!name || drawing.ink() === 0) return;
  const known = all.some((s) => s.name === name);
  symbols.set(known ? all.map((s) => (s.name === name ? { name, images: [...s.images, drawing] } : s)) : [...all, { name, images: [drawing] }]);
  clear();
}

/** Removes an example, and the symbol with its last one. */
export function remove(name: string, i: number): void {
  symbols.set(symbols.value.map((s) => (s.name === name ? { name, images: s.images.filter((_, j) => j !== i) } : s)).filter((s) => s.images.length > 0));
}

export function clear(): void {
  past.push(pad.value);
  pad.set(new Bits(side, side));
}
