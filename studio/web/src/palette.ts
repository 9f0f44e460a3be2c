// Colours. Expert k has the hue it has in the project's pictures (render/palette.go); wherever a colour stands for an expert its
// number is shown too.
import { hues } from "./hues.ts";

export type RGB = readonly [number, number, number];

/** How many colours are chosen by hand; beyond them the hue advances by the golden angle. */
export const chosen = 12;

/** The colour of expert k >= 0, as render.Hue. */
export function hue(k: number): RGB {
  return k < hues.length ? hues[k] : golden(k);
}

/** The colour of expert k >= chosen, computed. */
export function golden(k: number): RGB {
  const i = k - chosen, angle = (i * 2.399963229728653) % (2 * Math.PI);
  return fromOklab([[0.62, 0.45, 0.75][i % 3], 0.14 * Math.cos(angle), 0.14 * Math.sin(angle)]);
}

export function css(c: RGB): string {
  return `rgb(${c[0]} ${c[1]} ${c[2]})`;
}

/** Black or white, whichever is the easier to read on c (WCAG's relative luminance). */
export function readable(c: RGB): "#000" | "#fff" {
  const l = 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
  return (l + 0.05) / 0.05 >= 1.05 / (l + 0.05) ? "#000" : "#fff";
}

/** The colours of images: of off, on and unknown pixels. */
export interface Paper {
  off: RGB;
  on: RGB;
  unknown: [RGB, RGB];
}

export const lightPaper: Paper = { off: [255, 255, 255], on: [0x2b, 0x2b, 0x2b], unknown: [[0xdd, 0xd3, 0xec], [0xf1, 0xec, 0xf8]] };
export const darkPaper: Paper = { off: [0x1d, 0x20, 0x26], on: [0xee, 0xec, 0xe6], unknown: [[0x46, 0x3d, 0x59], [0x30, 0x2b, 0x3d]] };

const blue: RGB = [0x16, 0x3f, 0xb5], grey: RGB = [0x99, 0x99, 0x99], yellow: RGB = [0xff, 0xde, 0x2e];

/** The palette of votes for and against, as in the paper's Figure 5: blue at 0, grey at q, yellow at 1. */
export function symmetric(p: number, q: number): RGB {
  const s = share(p, q);
  return s < 0 ? mix(grey, blue, -s) : mix(grey, yellow, s);
}

/** The position of p between q and 1 (0..1) or between q and 0 (0..-1). */
export function share(p: number, q: number): number {
  if (p > q) return Math.min(1, (p - q) / (1 - q));
  if (p < q) return Math.max(-1, (p - q) / q);
  return 0;
}

type Lab = [number, number, number];
const labs = new Map<RGB, Lab>();

/** The colour at fraction t between a and b in Oklab (B. Ottosson, 2020), in which equal steps look equal. */
export function mix(a: RGB, b: RGB, t: number): RGB {
  if (!(t > 0)) return a;
  if (t >= 1) return b;
  const x = lab(a), y = lab(b);
  return fromOklab([x[0] + t * (y[0] - x[0]), x[1] + t * (y[1] - x[1]), x[2] + t * (y[2] - x[2])]);
}

/**
 * A mixer with 64 steps from a to b, for painting many pixels: the differences are too small to be seen.
 */
export function ramp(a: RGB, b: RGB): (t: number) => RGB {
  const steps: RGB[] = Array.from({ length: 65 }, (_, i) => mix(a, b, i / 64));
  return (t) => steps[Math.round(64 * Math.min(1, Math.max(0, t)))];
}

function lab(c: RGB): Lab {
  const known = labs.get(c);
  if (known) return known;
  const r = linear(c[0]), g = linear(c[1]), b = linear(c[2]);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const out: Lab = [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
  if (labs.size < 256) labs.set(c, out);
  return out;
}

function fromOklab([L, a, b]: Lab): RGB {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3, m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    gamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    gamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    gamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

function linear(v: number): number {
  const f = v / 255;
  return f <= 0.04045 ? f / 12.92 : ((f + 0.055) / 1.055) ** 2.4;
}

function gamma(v: number): number {
  const f = Math.min(1, Math.max(0, v));
  return Math.round(255 * (f <= 0.0031308 ? f * 12.92 : 1.055 * f ** (1 / 2.4) - 0.055));
}
