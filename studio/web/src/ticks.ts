/** Round numbers that mark an axis from low to high: three to seven of them, all within. */
export function ticks(low: number, high: number): number[] {
  if (!(high > low)) return [low];
  const power = 10 ** Math.floor(Math.log10(high - low));
  for (const step of [5, 2, 1, 0.5, 0.2].map((m) => m * power)) {
    const out: number[] = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) out.push(Number((i * step).toPrecision(12)));
    if (out.length >= 3) return out;
  }
  return [low, high];
}

/** Each score's best so far: the largest of it and those before. */
export function bestSoFar(scores: number[]): number[] {
  let best = -Infinity;
  return scores.map((s) => (best = Math.max(best, s)));
}

/** Text for marks: as many digits as tell them apart, and a true minus sign. */
export function tickText(all: number[]): (v: number) => string {
  const step = all.length > 1 ? Math.abs(all[1] - all[0]) : Math.abs(all[0]) || 1, digits = Math.max(0, Math.min(8, Math.ceil(-Math.log10(step) - 1e-9)));
  return (v) => v.toFixed(digits).replace(/^-(?=0(\.0*)?$)/, "").replace("-", "−");
}
