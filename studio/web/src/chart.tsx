import type { JSX } from "preact";
import type { Live } from "./learning.ts";
import { css, hue } from "./palette.ts";
import { bestSoFar, ticks, tickText } from "./ticks.ts";

/** The scores of the models tried as points, the best so far as a line, with their axes. */
export function Chart({ scores, unit }: { scores: Live["scores"]; unit: string }): JSX.Element | null {
  if (scores.length < 2) return null;
  // The first scores may be far below all others; what matters is the upper nine tenths.
  const sorted = scores.map((s) => s.score).sort((a, b) => a - b), tenth = sorted[Math.floor(sorted.length / 10)], high = sorted[sorted.length - 1], low = tenth - (high - tenth) / 16, n = scores.length;
  const x = (i: number) => 64 + (262 * i) / (n - 1), y = (v: number) => 136 - (122 * Math.max(0, v - low)) / (high - low || 1);
  const text = (v: number) => v.toFixed(4).replace("-", "−"), now = scores[n - 1].score;
  const line = bestSoFar(scores.map((s) => s.score)), below = scores.some((s) => s.score < low);
  const ys = ticks(low, high), label = tickText(ys), xs = ticks(1, n).filter((v) => Number.isInteger(v));
  return (
    <figure>
      <svg class="chart" viewBox="0 0 336 176" role="img" aria-label={`Scores of the models tried: last ${text(now)}, best ${text(high)}; ${unit}`}>
        {ys.map((v) => <g key={v}><line class="grid" x1={64} x2={326} y1={y(v)} y2={y(v)} /><text x={58} y={y(v) + 4} text-anchor="end">{label(v)}</text></g>)}
        {xs.map((v) => <g key={v}><line class="axis" x1={x(v - 1)} x2={x(v - 1)} y1={136} y2={141} /><text x={x(v - 1)} y={154} text-anchor="middle">{v}</text></g>)}
        <line class="axis" x1={64} x2={326} y1={136} y2={136} />
        <text x={195} y={172} text-anchor="middle">models tried</text>
        <polyline points={line.map((s, i) => `${i > 0 ? `${x(i).toFixed(1)},${y(line[i - 1]).toFixed(1)} ` : ""}${x(i).toFixed(1)},${y(s).toFixed(1)}`).join(" ")} fill="none" stroke={css(hue(2))} stroke-width="2" stroke-linejoin="round" />
        {scores.map((s, i) => <circle key={i} cx={x(i)} cy={y(s.score)} r={n <= 60 ? 3 : 1.8} class={s.score < low ? "tried below" : "tried"} />)}
      </svg>
      <figcaption>A point for each model tried, the line for the best so far: {unit}; larger is better. Last {text(now)}, best {text(high)}.{below && " Hollow points lie below the axis."}</figcaption>
    </figure>
  );
}
