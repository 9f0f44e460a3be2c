/** The level of the border: a line of one pixel is inside, even a diagonal one, and a single pixel is not. */
const level = 0.36;

/**
 * The border of a region of pixels, smoothed: the line where the region, blurred by a binomial window of three pixels, has a
 * level (marching squares, with linear interpolation). Segments [y0, x0, y1, x1] in pixels; specks of one pixel have none.
 */
export function border(height: number, width: number, inside: (i: number) => boolean): [number, number, number, number][] {
  const h = height + 4, w = width + 4, field = new Float32Array(h * w); // two pixels of nothing around
  for (let r = 0; r < height; r++) {
    for (let c = 0; c < width; c++) {
      if (!inside(r * width + c)) continue;
      for (let i = -1; i <= 1; i++) for (let j = -1; j <= 1; j++) field[(r + 2 + i) * w + c + 2 + j] += (i ? 0.25 : 0.5) * (j ? 0.25 : 0.5);
    }
  }
  const out: [number, number, number, number][] = [];
  for (let r = 0; r + 1 < h; r++) {
    for (let c = 0; c + 1 < w; c++) {
      // The four corners of a square between pixel centres, clockwise from the top left, and where its sides are crossed.
      const corner = [field[r * w + c], field[r * w + c + 1], field[(r + 1) * w + c + 1], field[(r + 1) * w + c]], at = [[0, 0], [0, 1], [1, 1], [1, 0]], crossed: [number, number][] = [];
      for (let k = 0; k < 4; k++) {
        const a = corner[k], b = corner[(k + 1) % 4];
        if (a >= level === b >= level) continue;
        const t = (level - a) / (b - a), p = at[k], q = at[(k + 1) % 4];
        crossed.push([r - 1.5 + p[0] + t * (q[0] - p[0]), c - 1.5 + p[1] + t * (q[1] - p[1])]);
      }
      for (let k = 0; k + 1 < crossed.length; k += 2) out.push([...crossed[k], ...crossed[k + 1]]);
    }
  }
  return out;
}
