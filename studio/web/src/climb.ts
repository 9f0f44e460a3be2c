/** A function on a grid over the unit square: row i is y = i/(points-1), column j is x = j/(points-1). */
export interface Grid {
  points: number;
  loglik: Float32Array;
}

/** Follows the gradient of the bilinear interpolant uphill in small steps, within the square, until nothing moves. */
export function climb(grid: Grid, start: { x: number; y: number }): { x: number; y: number }[] {
  const path = [start], rate = 0.01;
  let { x, y } = start;
  for (let i = 0; i < 2000; i++) {
    const [dx, dy] = slope(grid, x, y);
    const nx = Math.min(1, Math.max(0, x + rate * dx)), ny = Math.min(1, Math.max(0, y + rate * dy));
    if (Math.abs(nx - x) + Math.abs(ny - y) < 1e-6) break;
    x = nx;
    y = ny;
    path.push({ x, y });
  }
  return path;
}

/** The slope of a cell of the grid. */
function slope({ points, loglik }: Grid, x: number, y: number): [number, number] {
  const n = points - 1, c = Math.min(n - 1, Math.floor(x * n)), r = Math.min(n - 1, Math.floor(y * n)), u = x * n - c, v = y * n - r;
  const [a, b, d, e] = [0, 1, points, points + 1].map((k) => loglik[r * points + c + k]);
  return [n * ((1 - v) * (b - a) + v * (e - d)), n * ((1 - u) * (d - a) + u * (e - b))];
}
