// Binary images with unknown pixels: what is drawn, read and sent.

/** The three states of a pixel or a table cell. */
export const OFF = 0, ON = 1, UNKNOWN = 2;

/** An image in the server's JSON form: bits holds height*width characters 0, 1 or ?, row by row. */
export interface Image {
  height: number;
  width: number;
  bits: string;
}

/** A grid of OFF, ON and UNKNOWN; index row*width + column. */
export class Bits {
  readonly height: number;
  readonly width: number;
  readonly cells: Uint8Array;

  constructor(height: number, width: number, cells?: Uint8Array) {
    if (cells && cells.length !== height * width) throw new Error(`${cells.length} cells for ${height} x ${width} pixels`);
    this.height = height;
    this.width = width;
    this.cells = cells ?? new Uint8Array(height * width);
  }

  /** Parses an image of the server; throws if the number of characters is not height*width. */
  static parse(image: { height: number; width: number; bits?: string }): Bits {
    const cells = Uint8Array.from(image.bits ?? "", (c) => (c === "1" ? ON : c === "?" ? UNKNOWN : OFF));
    return new Bits(image.height, image.width, cells);
  }

  toImage(): Image {
    let bits = "";
    for (const c of this.cells) bits += c === ON ? "1" : c === UNKNOWN ? "?" : "0";
    return { height: this.height, width: this.width, bits };
  }

  copy(): Bits {
    return new Bits(this.height, this.width, this.cells.slice());
  }

  at(row: number, column: number): number {
    return this.cells[row * this.width + column];
  }

  /** The number of pixels that are on. */
  ink(): number {
    let n = 0;
    for (const c of this.cells) if (c === ON) n++;
    return n;
  }

  equals(o: Bits): boolean {
    return this.height === o.height && this.width === o.width && this.cells.every((c, i) => c === o.cells[i]);
  }
}

/** A point of the plane in pixels; pixel (row r, column c) covers r..r+1, c..c+1. */
export interface Point {
  y: number;
  x: number;
}

/**
 * Sets every pixel whose centre is within width/2 of the segment from a to b, and the pixels of its ends, so that a pen thinner
 * than a pixel leaves a mark too. Points may lie outside.
 */
export function drawLine(bits: Bits, a: Point, b: Point, width: number, value: number): void {
  const reach = Math.max(width / 2, 0.5);
  const top = Math.max(0, Math.floor(Math.min(a.y, b.y) - reach)), bottom = Math.min(bits.height - 1, Math.ceil(Math.max(a.y, b.y) + reach));
  const left = Math.max(0, Math.floor(Math.min(a.x, b.x) - reach)), right = Math.min(bits.width - 1, Math.ceil(Math.max(a.x, b.x) + reach));
  for (let r = top; r <= bottom; r++) {
    for (let c = left; c <= right; c++) {
      if (distance({ y: r + 0.5, x: c + 0.5 }, a, b) <= reach) bits.cells[r * bits.width + c] = value;
    }
  }
  for (const p of [a, b]) {
    const r = Math.floor(p.y), c = Math.floor(p.x);
    if (r >= 0 && c >= 0 && r < bits.height && c < bits.width) bits.cells[r * bits.width + c] = value;
  }
}

/** The distance of p from the segment a-b. */
function distance(p: Point, a: Point, b: Point): number {
  const dy = b.y - a.y, dx = b.x - a.x, length = dy * dy + dx * dx;
  const t = length === 0 ? 0 : Math.min(1, Math.max(0, ((p.y - a.y) * dy + (p.x - a.x) * dx) / length));
  return Math.hypot(p.y - a.y - t * dy, p.x - a.x - t * dx);
}

/** A grey picture: luminance 0..255 and opacity 0..1 laid on white. */
export interface Grey {
  height: number;
  width: number;
  values: Float32Array;
}

/** Converts RGBA bytes to a grey picture, with transparent areas white. */
export function greyOf(rgba: Uint8ClampedArray, height: number, width: number): Grey {
  const values = new Float32Array(height * width);
  for (let i = 0; i < values.length; i++) {
    const a = rgba[4 * i + 3] / 255;
    values[i] = a * (0.2126 * rgba[4 * i] + 0.7152 * rgba[4 * i + 1] + 0.0722 * rgba[4 * i + 2]) + (1 - a) * 255;
  }
  return { height, width, values };
}

/**
 * The threshold between the two classes of grey that differ most (N. Otsu, 1979), half-way between the values on either side;
 * 127.5 where there is one value only.
 */
export function otsu(values: Float32Array): number {
  const counts = new Float64Array(256);
  for (const v of values) counts[Math.round(v)]++;
  let total = 0, sum = 0;
  for (let v = 0; v < 256; v++) { total += counts[v]; sum += v * counts[v]; }
  let below = 0, sumBelow = 0, best = -1, low = 127, high = 128;
  for (let v = 0; v < 255; v++) {
    below += counts[v];
    sumBelow += v * counts[v];
    if (counts[v] === 0 || below === total) continue;
    const d = sumBelow / below - (sum - sumBelow) / (total - below), between = below * (total - below) * d * d;
    if (between > best) {
      best = between;
      low = v;
      high = v + 1;
      while (counts[high] === 0) high++;
    }
  }
  return (low + high) / 2;
}

/**
 * Makes ink of a grey picture: what is darker than Otsu's threshold, or lighter where dark is the larger part. A picture of
 * another size than height x width is cut to its ink, scaled to fit with a margin of 1/18 on each side (three pixels of 56, as in the letters of the
 * paper) and centred; a pixel is on when at least half of what it covers is ink.
 */
export function bitsOf(grey: Grey, height: number, width: number): Bits {
  const t = otsu(grey.values);
  let dark = 0;
  for (const v of grey.values) if (v < t) dark++;
  const inverted = dark > grey.values.length / 2;
  const ink = (i: number) => grey.values[i] < t !== inverted;
  const out = new Bits(height, width);
  if (grey.height === height && grey.width === width) {
    for (let i = 0; i < out.cells.length; i++) out.cells[i] = ink(i) ? ON : OFF;
    return out;
  }
  let top = grey.height, left = grey.width, bottom = -1, right = -1;
  for (let r = 0; r < grey.height; r++) {
    for (let c = 0; c < grey.width; c++) {
      if (!ink(r * grey.width + c)) continue;
      top = Math.min(top, r); bottom = Math.max(bottom, r);
      left = Math.min(left, c); right = Math.max(right, c);
    }
  }
  if (bottom < 0) return out;
  const h = bottom - top + 1, w = right - left + 1;
  const scale = Math.max(h / (height * (1 - 1 / 9)), w / (width * (1 - 1 / 9))); // pixels of the picture in one of ours
  const y0 = top + h / 2 - (height / 2) * scale, x0 = left + w / 2 - (width / 2) * scale;
  const samples = Math.min(8, Math.max(1, Math.ceil(scale)));
  for (let r = 0; r < height; r++) {
    for (let c = 0; c < width; c++) {
      let n = 0;
      for (let i = 0; i < samples * samples; i++) {
        const y = Math.floor(y0 + (r + (Math.floor(i / samples) + 0.5) / samples) * scale);
        const x = Math.floor(x0 + (c + ((i % samples) + 0.5) / samples) * scale);
        if (y >= top && y <= bottom && x >= left && x <= right && ink(y * grey.width + x)) n++;
      }
      if (2 * n >= samples * samples) out.cells[r * width + c] = ON;
    }
  }
  return out;
}
