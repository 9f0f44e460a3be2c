// Numbers and poses in words.
import type { Pick } from "./api.ts";
import type { LeftOver } from "./leftover.ts";

/** A pose in words: "4 up, 7 left, turned 12° clockwise", or "in place". */
export function poseWords(p: { dy: number; dx: number; angle: number }, places = 0): string {
  const n = (v: number) => Math.abs(v).toFixed(places).replace(/\.0+$/, "");
  const parts: string[] = [];
  if (n(p.dy) !== "0") parts.push(`${n(p.dy)} ${p.dy < 0 ? "up" : "down"}`);
  if (n(p.dx) !== "0") parts.push(`${n(p.dx)} ${p.dx < 0 ? "left" : "right"}`);
  if (n(p.angle) !== "0") parts.push(`turned ${n(p.angle)}° ${p.angle < 0 ? "anticlockwise" : "clockwise"}`);
  return parts.length ? parts.join(", ") : "in place";
}

/** A pose in short: "↑4 ←7 ↻12°". */
export function poseShort(p: { dy: number; dx: number; angle: number }): string {
  const out: string[] = [];
  if (Math.round(p.dy) !== 0) out.push(`${p.dy < 0 ? "↑" : "↓"}${Math.abs(Math.round(p.dy))}`);
  if (Math.round(p.dx) !== 0) out.push(`${p.dx < 0 ? "←" : "→"}${Math.abs(Math.round(p.dx))}`);
  if (Math.round(p.angle) !== 0) out.push(`${p.angle < 0 ? "↺" : "↻"}${Math.abs(Math.round(p.angle))}°`);
  return out.length ? out.join(" ") : "in place";
}

/** A number with about three digits and a true minus sign; the server's null means infinity. */
export function number(v: number | null): string {
  if (v === null) return "∞";
  const places = Math.abs(v) >= 100 ? 0 : Math.abs(v) >= 10 ? 1 : Math.abs(v) >= 1 ? 2 : 3;
  return v.toFixed(places).replace("-", "−");
}

/** A number with at most four digits that count, without zeros at the end, and with a true minus sign: "−0.0123", "1284", "5.4". */
export function digits(x: number): string {
  const a = Math.abs(x);
  return (a >= 1000 && a < 1e7 ? String(Math.round(x)) : String(Number(x.toPrecision(a >= 100 ? 4 : 3)))).replace("-", "−");
}

/** The number that a field holds: null where it is empty or unknown; undefined where it is no number. */
export function typed(text: string): number | null | undefined {
  const t = text.trim().replace("−", "-");
  if (t === "" || t === "?") return null;
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(t) && Number.isFinite(Number(t)) ? Number(t) : undefined;
}

/** A line that holds the usual values of a column and all that is shown of it: its ends, and the place of a value in percent. */
export function lineOf(mean: number, deviation: number, shown: number[]): { low: number; high: number; at: (x: number) => number } {
  const all = [mean - 3 * deviation, mean + 3 * deviation, ...shown.filter((x) => Number.isFinite(x))], least = Math.min(...all), most = Math.max(...all);
  const low = least - 0.03 * (most - least), high = most + 0.03 * (most - least); // marks at the ends are whole
  return { low, high, at: (x) => Math.max(0, Math.min(100, (100 * (x - low)) / (high - low || 1))) };
}

/** A number with its sign, whatever it is. */
export const signed = (v: number | null): string => (v !== null && v < 0 ? "" : "+") + number(v);

/** A label as it is, but for a number with more digits than say something: "3.405" for "3.404666079557988". */
export function label(v: string): string {
  if (!/^-?\d+\.\d+$/.test(v)) return v;
  const x = Number(v);
  return String(Math.abs(x) >= 1000 ? Math.round(x) : Number(x.toPrecision(4)));
}

/** A share as a percentage, as words.Percent of the server: one that is not 0 or 1 is not rounded to them. */
export function percent(v: number): string {
  const p = Math.round(100 * v);
  return p === 0 && v > 0 ? "<1 %" : p === 100 && v < 1 ? ">99 %" : `${p} %`;
}

const small = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"];

/** "1 image", "12 images". */
export function plural(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

/** "Two parts", "One part", "14 parts". */
export function count(n: number, noun: string): string {
  return plural(n, noun).replace(/^\d+/, (d) => small[n] ?? d);
}

/** The result in one or two sentences, for readers and screen readers; moves: experts have poses. */
export function finding(picks: Pick[], moves: boolean, ink: number, left: LeftOver, name: (k: number) => string = (k) => `part ${k + 1}`): string {
  if (ink === 0 && !left.both) return "The image is empty. Draw something to see the parts that explain it.";
  if (picks.length === 0) return "No part explains anything here.";
  const names = picks.map((p) => `${name(p.part)}${moves ? ` (${poseWords(p)})` : ""}`), last = names.pop() as string;
  const list = names.length ? `${names.join(", ")} and ${last}` : last;
  return `${count(picks.length, "part")} explain${picks.length === 1 ? "s" : ""} it: ${list}. ${rest(ink, left)}`;
}

function rest(ink: number, left: LeftOver): string {
  if (!left.both) return left.first === 0 ? "All ink is explained." : `${percent(left.first / ink)} of the ink is unexplained.`;
  const chance = left.second === 0 ? "They vote on every pixel" : `${percent(left.second / left.kind.length)} of the pixels are left to chance`;
  return `${chance}${left.first === 0 ? "." : `, and ${percent(left.first / left.kind.length)} contradict them.`}`;
}
