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
