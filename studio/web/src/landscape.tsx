import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { words, type Rule } from "./api.ts";
import { climb } from "./climb.ts";
import { floatsOf } from "./decode.ts";
import { ramp, type RGB } from "./palette.ts";
import { paint } from "./paint.ts";
import { api, arrivals, useCell } from "./store.ts";

/** A surface with its numbers decoded; row i is p2 = i/(points-1), column j is p1 = j/(points-1). */
interface Land {
  points: number;
  loglik: Float32Array;
  maxima: { x: number; y: number; loglik: number }[];
  slope: { points: number; dx: Float32Array; dy: Float32Array };
}

/** Figure 2: the likelihood of two experts under two rules, and the end of a gradient ascent from a start. */
export function Landscape({ rules }: { rules: Rule[] }): JSX.Element {
  const [start, setStart] = useState({ x: 0.62, y: 0.7 }), [pair, setPair] = useState(["sum-of-log-odds", "max-minus-min"]);
  return (
    <section class="card" aria-label="Likelihood of two parts">
      <h2>Learning two parts</h2>
      <p class="fine">
        Images are all white (¼), all black (¼) or noise (½). Each part is one probability for all pixels. Brighter means that the images are more likely; rings mark the best pairs: one part for
        black, one for white. The line follows the gradient from your start. <b>Click to set the start</b>, or use the sliders.
      </p>
      <div class="two">
        <label class="slider"><span>Part 1 starts at <b class="value">{start.x.toFixed(2)}</b></span>
          <input type="range" min="0" max="1" step="0.01" value={start.x} onInput={(e) => setStart({ ...start, x: e.currentTarget.valueAsNumber })} /></label>
        <label class="slider"><span>Part 2 starts at <b class="value">{start.y.toFixed(2)}</b></span>
          <input type="range" min="0" max="1" step="0.01" value={start.y} onInput={(e) => setStart({ ...start, y: e.currentTarget.valueAsNumber })} /></label>
      </div>
      <div class="two">
        {pair.map((name, i) => (
          <div key={i}>
            <label class="field">Rule
              <select value={name} onChange={(e) => setPair(pair.map((old, j) => (j === i ? e.currentTarget.value : old)))}>
                {rules.map((r) => <option key={r.name} value={r.name}>{r.title}</option>)}
              </select>
            </label>
            <Map rule={name} start={start} onStart={setStart} />
          </div>
        ))}
      </div>
    </section>
  );
}

function Map({ rule, start, onStart }: { rule: string; start: { x: number; y: number }; onStart: (s: { x: number; y: number }) => void }): JSX.Element {
  const [land, setLand] = useState<Land | null>(null), [wrong, setWrong] = useState(""), arrival = useCell(arrivals);
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let current = true;
    api.call("GET /v1/rules/surface", { query: { rule, points: 121 } }).then(
      (s) => current && setLand({ points: s.points, loglik: floatsOf(s.loglik), maxima: s.maxima, slope: { points: s.gradient.points, dx: floatsOf(s.gradient.dx), dy: floatsOf(s.gradient.dy) } }),
      (e: unknown) => current && setWrong(words(e)),
    );
    return () => { current = false; };
  }, [rule, arrival]);
  const path = land ? climb(land, start) : [start], end = path[path.length - 1];
  useLayoutEffect(() => {
    if (land && ref.current) draw(ref.current, land, path);
  });
  const set = (e: MouseEvent) => {
    const box = (e.currentTarget as HTMLElement).getBoundingClientRect(), to = (v: number) => Math.round(100 * Math.min(1, Math.max(0, v))) / 100;
    onStart({ x: to((e.clientX - box.left) / box.width), y: to(1 - (e.clientY - box.top) / box.height) });
  };
  const found = Math.min(end.x, end.y) < 0.02 && Math.max(end.x, end.y) > 0.98;
  return (
    <figure>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      <canvas class="pixels map" ref={ref} width={488} height={488} role="img" onClick={set}
        aria-label={`Likelihood under ${rule}; from the start the gradient leads to ${end.x.toFixed(2)} and ${end.y.toFixed(2)}`} />
      <figcaption>ends at part 1 = <b>{end.x.toFixed(2)}</b>, part 2 = <b>{end.y.toFixed(2)}</b>: {found ? "a best pair" : "not a best pair"}</figcaption>
    </figure>
  );
}

const low: RGB = [0x10, 0x1c, 0x4d], middle: RGB = [0x2a, 0x78, 0x8e], high: RGB = [0xfd, 0xe7, 0x25];

function draw(canvas: HTMLCanvasElement, land: Land, path: { x: number; y: number }[]): void {
  const n = land.points, a = ramp(low, middle), b = ramp(middle, high), size = canvas.width;
  let least = Infinity, most = -Infinity;
  for (const v of land.loglik) { if (Number.isFinite(v)) { least = Math.min(least, v); most = Math.max(most, v); } }
  paint(canvas, n, n, (i) => {
    const v = land.loglik[(n - 1 - Math.floor(i / n)) * n + (i % n)], t = Number.isFinite(v) ? (v - least) / (most - least || 1) : 0;
    return t < 0.5 ? a(2 * t) : b(2 * t - 1);
  });
  const g = canvas.getContext("2d") as CanvasRenderingContext2D, at = (p: { x: number; y: number }) => [p.x * size, (1 - p.y) * size] as const;
  g.strokeStyle = "rgb(255 255 255 / 0.55)";
  g.lineWidth = 1.5;
  const m = land.slope.points;
  for (let r = 0; r < m; r++) {
    for (let c = 0; c < m; c++) {
      const p = { x: c / (m - 1), y: r / (m - 1) }, dx = land.slope.dx[r * m + c], dy = land.slope.dy[r * m + c], length = Math.hypot(dx, dy);
      if (length < 1e-6) continue;
      const [x, y] = at(p), u = (12 * dx) / length, v = (-12 * dy) / length;
      g.beginPath();
      g.moveTo(x - u, y - v);
      g.lineTo(x + u, y + v);
      g.lineTo(x + u - 0.5 * u + 0.35 * v, y + v - 0.5 * v - 0.35 * u);
      g.moveTo(x + u, y + v);
      g.lineTo(x + u - 0.5 * u - 0.35 * v, y + v - 0.5 * v + 0.35 * u);
      g.stroke();
    }
  }
  for (const [w, colour] of [[6, "#000"], [3, "#fff"]] as const) {
    g.lineWidth = w;
    g.strokeStyle = colour;
    g.beginPath();
    path.forEach((p, i) => (i ? g.lineTo(...at(p)) : g.moveTo(...at(p))));
    g.stroke();
    for (const best of land.maxima) {
      g.beginPath();
      g.arc(...at(best), 14, 0, 2 * Math.PI);
      g.stroke();
    }
  }
  for (const [p, fill] of [[path[0], "#fff"], [path[path.length - 1], "#000"]] as const) {
    g.beginPath();
    g.arc(...at(p), 8, 0, 2 * Math.PI);
    g.fillStyle = fill;
    g.fill();
    g.lineWidth = 2.5;
    g.strokeStyle = fill === "#fff" ? "#000" : "#fff";
    g.stroke();
  }
}
