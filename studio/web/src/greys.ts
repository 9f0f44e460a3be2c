// Real values as colours and positions: greys, signed deviations, and places on a line.
import { mix, ramp, symmetric, type Paper, type RGB } from "./palette.ts";

/** What a model says where no part does. */
export interface Ground {
  mean: Float32Array;
  deviation: Float32Array;
}

/** What a part says: means, and deviations; NaN where it abstains. */
export interface Said {
  mean: Float32Array;
  deviation: Float32Array;
}

/** How values and deviations are drawn: black and white, and the deviation of the full colours. */
export interface Scale {
  low: number;
  high: number;
  full: number;
}

/** The scale for a model, as render.RealScaleOf: greys from the smallest to the largest mean, and of twenty votes one is beyond the full colour. */
export function scaleOf(ground: Ground, parts: Said[]): Scale {
  const all: number[] = [];
  let low = Infinity, high = -Infinity;
  const take = (x: number) => { low = Math.min(low, x); high = Math.max(high, x); };
  ground.mean.forEach(take);
  for (const p of parts) {
    p.mean.forEach((m, i) => {
      if (Number.isNaN(m)) return;
      take(m);
      all.push(Math.abs(m - ground.mean[Math.min(i, ground.mean.length - 1)]));
    });
  }
  all.sort((a, b) => a - b);
  return { low, high, full: all.length > 0 ? all[Math.floor(((all.length - 1) * 19) / 20)] : 0 };
}

/** The colour of a value, black for the low end and white for the high end; unknown ones have the colours of unknown pixels. */
export function greyOf(paper: Paper, s: Scale, width: number): (x: number | null, i: number) => RGB {
  const grey = ramp([0, 0, 0], [255, 255, 255]), span = s.high - s.low || 1;
  return (x, i) => (x === null || Number.isNaN(x) ? paper.unknown[(Math.floor(i / width) + (i % width)) % 2] : grey((x - s.low) / span));
}

/** The colour of a signed deviation: yellow above, blue below, grey for none; nothing at all where nobody speaks. */
export function deviationOf(paper: Paper, s: Scale): (d: number) => RGB {
  return (d) => (Number.isNaN(d) ? mix(paper.off, paper.on, 0.12) : symmetric(0.5 + 0.5 * Math.max(-1, Math.min(1, s.full > 0 ? d / s.full : 0)), 0.5));
}

/** A line that holds the usual values of a column and all that is shown of it: its ends, and the place of a value in percent. */
export function lineOf(mean: number, deviation: number, shown: number[]): { low: number; high: number; at: (x: number) => number } {
  const all = [mean - 3 * deviation, mean + 3 * deviation, ...shown.filter((x) => Number.isFinite(x))], least = Math.min(...all), most = Math.max(...all);
  const low = least - 0.03 * (most - least), high = most + 0.03 * (most - least); // marks at the ends are whole
  return { low, high, at: (x) => Math.max(0, Math.min(100, (100 * (x - low)) / (high - low || 1))) };
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

/** Invented measurements of wells, for those who have no file at hand: two kinds of water, which may mix, and cells that are missing. */
export function inventedWells(): string {
  let state = 20;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const lines = ["well,temperature,acidity,depth,salt,iron"];
  for (let i = 0; i < 80; i++) {
    const salty = random() < 0.4, warm = random() < 0.3;
    const row = [warm ? 27 + normal() : 14 + normal(), warm ? 5.4 + 0.2 * normal() : 7 + 0.2 * normal(), salty ? 30 + 4 * normal() : 98 + 6 * normal(), salty ? 9 + 0.3 * normal() : 3 + 0.5 * normal(), 0.8 + 0.2 * normal()];
    lines.push([`well ${i + 1}`, ...row.map((x) => (i > 2 && random() < 0.04 ? "" : x.toFixed(2)))].join(","));
  }
  return lines.join("\n") + "\n";
}
