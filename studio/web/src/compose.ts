// Experts at their poses and the deciding picks, as pictures of a configuration need them. Explanations come with their composed templates
// from the server; this is for stepping through them and for configurations that were only sampled.

/** One pick of an explanation: expert at a pose. Angles in degrees, positive clockwise; dy down, dx right. */
export interface Pick {
  expert: number;
  dy: number;
  dx: number;
  angle: number;
  /** In nats; null if infinite, because the image was impossible before. */
  gain?: number | null;
}

/** The size of a picture, or of the frame of parts. */
export interface Size {
  height: number;
  width: number;
}

/**
 * The template of an expert turned about the centre of its frame and then shifted, nearest pixel, as pose.NewTurn and
 * Model.Place do, in an image of some size (by default the frame's); NaN where it does not reach.
 */
export function place(template: Float32Array, frame: Size, pick: Pick, image = frame): Float32Array {
  const { height, width } = frame, out = new Float32Array(image.height * image.width).fill(NaN);
  const [sin, cos] = sincos(-pick.angle), cy = (height - 1) / 2, cx = (width - 1) / 2;
  for (let y = 0; y < image.height; y++) {
    for (let x = 0; x < image.width; x++) {
      const dy = y - pick.dy - cy, dx = x - pick.dx - cx;
      const sy = roundEven(settle(cy + sin * dx + cos * dy)), sx = roundEven(settle(cx + cos * dx - sin * dy));
      if (sy >= 0 && sx >= 0 && sy < height && sx < width) out[y * image.width + x] = template[sy * width + sx];
    }
  }
  return out;
}

function sincos(angle: number): [number, number] {
  switch (angle % 360) {
    case 0: return [0, 1];
    case 90: case -270: return [1, 0];
    case 180: case -180: return [0, -1];
    case 270: case -90: return [-1, 0];
  }
  return [Math.sin((angle * Math.PI) / 180), Math.cos((angle * Math.PI) / 180)];
}

/** Removes the rounding error of the trigonometry, so that halves are exact. */
function settle(v: number): number {
  return Math.round(v * 1e9) / 1e9;
}

function roundEven(v: number): number {
  const f = Math.floor(v), d = v - f;
  return d < 0.5 ? f : d > 0.5 ? f + 1 : f % 2 === 0 ? f : f + 1;
}

/** For every pixel the index of the pick that decides it, or -1, and the composed probability. */
export interface Composition {
  p: Float32Array;
  speaker: Int16Array;
}

/**
 * Who decides each pixel among the first n picks: where the composed probability is above that of the start the strongest vote
 * for on, where it is below the strongest for off; the earlier pick where votes are equal.
 */
export function speakers(start: Float32Array, p: Float32Array, votes: Float32Array[], n: number): Int16Array {
  const out = new Int16Array(p.length).fill(-1);
  for (let i = 0; i < p.length; i++) {
    const side = Math.sign(p[i] - start[i]);
    if (side === 0) continue;
    let best = -Infinity;
    for (let j = 0; j < n; j++) {
      const v = side * votes[j][i];
      if (v > best) {
        best = v;
        out[i] = j;
      }
    }
  }
  return out;
}

/**
 * Composes votes by hi + lo - q; NaN abstains. Under the max rule, both is false, only votes above q count.
 */
export function compose(votes: Float32Array[], q: number, both: boolean, pixels: number): Composition {
  const p = new Float32Array(pixels), start = new Float32Array(pixels).fill(q);
  for (let i = 0; i < pixels; i++) {
    let hi = start[i], lo = start[i];
    for (const v of votes) {
      if (v[i] > hi) hi = v[i];
      if (both && v[i] < lo) lo = v[i];
    }
    p[i] = hi + lo - start[i];
  }
  return { p, speaker: speakers(start, p, votes, votes.length) };
}

/**
 * Whether an expert's vote is strong: ink is at least as likely as not, or, where experts vote both ways, the vote is half of
 * the way from abstention q to certainty. This is what outlines show.
 */
export function strong(vote: number, q: number, both: boolean): boolean {
  return both ? vote >= (q + 1) / 2 || vote <= q / 2 : vote >= 0.5;
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
