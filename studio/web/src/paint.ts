// Pictures on canvases: one pixel of an image is one pixel of a small buffer, which is enlarged without smoothing.
import { ON, UNKNOWN, type Bits } from "./bits.ts";
import { border } from "./border.ts";
import { css, hue, mix, ramp, readable, share, symmetric, type Paper, type RGB } from "./palette.ts";

/** Paints height x width pixels, colour(i) for each, over the whole canvas. */
export function paint(canvas: HTMLCanvasElement, height: number, width: number, colour: (i: number) => RGB): void {
  const buffer = new ImageData(width, height);
  for (let i = 0; i < height * width; i++) {
    const c = colour(i);
    buffer.data[4 * i] = c[0];
    buffer.data[4 * i + 1] = c[1];
    buffer.data[4 * i + 2] = c[2];
    buffer.data[4 * i + 3] = 255;
  }
  const small = new OffscreenCanvas(width, height);
  (small.getContext("2d") as OffscreenCanvasRenderingContext2D).putImageData(buffer, 0, 0);
  const g = canvas.getContext("2d") as CanvasRenderingContext2D;
  g.imageSmoothingEnabled = false;
  g.drawImage(small, 0, 0, canvas.width, canvas.height);
}

/** The colour of a probability: from paper to ink if votes are for ink only, else blue, grey, yellow. */
export function probability(paper: Paper, votesBothWays: boolean, q: number): (p: number) => RGB {
  if (votesBothWays) return (p) => (Number.isNaN(p) ? symmetric(q, q) : symmetric(p, q));
  const ink = ramp(paper.off, paper.on);
  return (p) => ink(Number.isNaN(p) ? 0 : p);
}

export function bitColour(paper: Paper, bits: Bits, i: number): RGB {
  const c = bits.cells[i];
  if (c !== UNKNOWN) return c === ON ? paper.on : paper.off;
  return paper.unknown[(Math.floor(i / bits.width) + (i % bits.width)) % 2];
}

// How strongly an expert's vote tints paper without ink, as in render/coloured.go.
const tintOn = 0.38, tintOff = 0.2;

/** A configuration to draw over an image: the deciding pick of each pixel (its index, -1 for none) and the composed probability. */
export interface Layer {
  experts: number[];
  speaker: Int16Array;
  p: Float32Array;
  start: Float32Array;
}

/**
 * An explanation on its image: ink in the colour of the expert that explains it, the purer the surer; ink that nobody explains
 * stays ink; paper where an expert says ink has a tint.
 */
export function overlay(paper: Paper, bits: Bits, layer: Layer): (i: number) => RGB {
  const inks = layer.experts.map((k) => ramp(paper.on, hue(k)));
  const tints = layer.experts.map((k) => ramp(paper.off, hue(k)));
  return (i) => {
    const j = layer.speaker[i], base = bitColour(paper, bits, i);
    if (j < 0) return base;
    const s = share(layer.p[i], layer.start[i]), c = bits.cells[i];
    if (c === ON) return s > 0 ? inks[j](s) : base;
    if (c === UNKNOWN) return mix(base, hue(layer.experts[j]), Math.abs(s) * tintOn);
    return tints[j](s > 0 ? tintOn * s : -tintOff * s);
  };
}

/** The deciding experts without the image: white for none, else the expert's colour, stronger if it is more certain. */
export function voices(paper: Paper, layer: Layer): (i: number) => RGB {
  const on = layer.experts.map((k) => ramp(paper.off, hue(k)));
  const off = layer.experts.map((k) => ramp(paper.off, mix(hue(k), paper.on, 0.6)));
  return (i) => {
    const j = layer.speaker[i];
    if (j < 0) return paper.off;
    const s = share(layer.p[i], layer.start[i]);
    return s < 0 ? off[j](-s) : on[j](s);
  };
}

/** Draws the smooth border of a region in a colour, with a faint rim that sets it off from any ground. */
function contour(canvas: HTMLCanvasElement, height: number, width: number, inside: (i: number) => boolean, colour: RGB, rim: RGB): void {
  const g = canvas.getContext("2d") as CanvasRenderingContext2D, sy = canvas.height / height, sx = canvas.width / width, unit = Math.max(1, canvas.width / 400);
  g.beginPath();
  for (const [y0, x0, y1, x1] of border(height, width, inside)) {
    g.moveTo(x0 * sx, y0 * sy);
    g.lineTo(x1 * sx, y1 * sy);
  }
  g.lineCap = "round";
  for (const [w, c, alpha] of [[3 * unit, rim, 0.55], [1.4 * unit, colour, 1]] as const) {
    g.globalAlpha = alpha;
    g.lineWidth = w;
    g.strokeStyle = css(c);
    g.stroke();
  }
  g.globalAlpha = 1;
}

/** Outlines a region of an image in the colour of an expert, and writes the expert's number in its middle. */
export function outline(canvas: HTMLCanvasElement, height: number, width: number, regions: { expert: number; inside: (i: number) => boolean }[], paper: Paper, numbers = true): void {
  for (const r of regions) contour(canvas, height, width, r.inside, hue(r.expert), paper.off);
  for (const r of numbers ? regions : []) {
    const m = middle(r.inside, height, width);
    if (m) badge(canvas, height, width, m, r.expert, paper);
  }
}

/** Writes the number of an expert, from 1, in a disc of its colour at a point of the image, in pixels of the image. */
function badge(canvas: HTMLCanvasElement, height: number, width: number, at: { y: number; x: number }, expert: number, paper: Paper): void {
  const g = canvas.getContext("2d") as CanvasRenderingContext2D;
  const r = Math.max(9, canvas.width / 36), x = Math.min(canvas.width - r, Math.max(r, (at.x / width) * canvas.width));
  const y = Math.min(canvas.height - r, Math.max(r, (at.y / height) * canvas.height));
  g.beginPath();
  g.arc(x, y, r, 0, 2 * Math.PI);
  g.fillStyle = css(hue(expert));
  g.fill();
  g.lineWidth = Math.max(1.5, r / 8);
  g.strokeStyle = css(paper.off);
  g.stroke();
  g.fillStyle = readable(hue(expert));
  g.font = `700 ${r * 1.2}px system-ui, sans-serif`;
  g.textAlign = "center";
  g.textBaseline = "middle";
  g.fillText(String(expert + 1), x, y + r * 0.07);
}

/** The chosen pixel nearest to the centre of all chosen ones; null if there are none. */
export function middle(inside: (i: number) => boolean, height: number, width: number): { y: number; x: number } | null {
  const ink: { y: number; x: number }[] = [];
  for (let i = 0; i < height * width; i++) if (inside(i)) ink.push({ y: Math.floor(i / width) + 0.5, x: (i % width) + 0.5 });
  const y = ink.reduce((s, p) => s + p.y, 0) / ink.length, x = ink.reduce((s, p) => s + p.x, 0) / ink.length;
  let best: { y: number; x: number } | null = null, least = Infinity;
  for (const p of ink) {
    const d = Math.hypot(p.y - y, p.x - x);
    if (d < least) {
      least = d;
      best = p;
    }
  }
  return best;
}

/**
 * Whether a part's vote is strong: ink is at least as likely as not, or, where parts vote both ways, the vote is half of
 * the way from abstention q to certainty. This is what outlines show.
 */
export function strong(vote: number, q: number, both: boolean): boolean {
  return both ? vote >= (q + 1) / 2 || vote <= q / 2 : vote >= 0.5;
}

/** How numbers and deviations are drawn: black and white, and the deviation of the full colours. */
export interface Scale {
  low: number;
  high: number;
  full: number;
}

/** The scale for a model of numbers, as render.RealScaleOf: greys from the smallest to the largest mean, and of twenty votes one is beyond the full colour. ground is what is said without parts. */
export function scaleOf(ground: Float32Array, parts: Float32Array[]): Scale {
  const all: number[] = [];
  let low = Infinity, high = -Infinity;
  const take = (x: number) => { low = Math.min(low, x); high = Math.max(high, x); };
  ground.forEach(take);
  for (const p of parts) {
    p.forEach((m, i) => {
      if (Number.isNaN(m)) return;
      take(m);
      all.push(Math.abs(m - ground[Math.min(i, ground.length - 1)]));
    });
  }
  all.sort((a, b) => a - b);
  return { low, high, full: all.length > 0 ? all[Math.floor(((all.length - 1) * 19) / 20)] : 0 };
}

/** The colour of a number, black for the low end and white for the high end; unknown ones have the colours of unknown pixels. */
export function greyOf(paper: Paper, s: Pick<Scale, "low" | "high">, width: number): (x: number | null, i: number) => RGB {
  const grey = ramp([0, 0, 0], [255, 255, 255]), span = s.high - s.low || 1;
  return (x, i) => (x === null || Number.isNaN(x) ? paper.unknown[(Math.floor(i / width) + (i % width)) % 2] : grey((x - s.low) / span));
}

/** The colour of a signed deviation: yellow above, blue below, grey for none; nothing at all where nobody speaks. */
export function deviationOf(paper: Paper, s: Scale): (d: number) => RGB {
  return (d) => (Number.isNaN(d) ? mix(paper.off, paper.on, 0.12) : symmetric(0.5 + 0.5 * Math.max(-1, Math.min(1, s.full > 0 ? d / s.full : 0)), 0.5));
}
