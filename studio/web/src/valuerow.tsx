import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Explanation } from "./api.ts";
import { floatsOf } from "./decode.ts";
import { plural, poseShort, signed } from "./format.ts";
import { deviationOf, digits, greyOf, lineOf, typed } from "./greys.ts";
import { called, column, fully, list } from "./names.ts";
import { css, hue } from "./palette.ts";
import { Badge, pixelAt, Pixels } from "./pixels.tsx";
import { api } from "./store.ts";
import { usePaper } from "./theme.ts";
import { useLatest } from "./uselatest.ts";
import type { RealModel } from "./values.tsx";

/** An explanation with its numbers decoded. */
interface Layer {
  picks: Explanation["picks"];
  mean: Float32Array;
  deviation: Float32Array;
  low: Float32Array;
  high: Float32Array;
  said: Float32Array[];
}

type Row = (number | null)[];

/** One row or image explained: its values, which can be changed, and its parts. */
export function RealRow({ real, row, picker }: { real: RealModel; row: { name: string; values: Row }; picker: JSX.Element }): JSX.Element {
  const [values, setValues] = useState(row.values), { model } = real;
  useEffect(() => setValues(row.values), [row]);
  const { answer, wrong } = useLatest(async (v: Row) => ({ of: v, found: await api.explain(model.id, { height: model.images[0], width: model.images[1], values: v }, true) }), values);
  const layer = useMemo<Layer | null>(() => {
    const of = answer?.found.values;
    return of ? { picks: answer.found.picks, mean: floatsOf(of.mean), deviation: floatsOf(of.deviation), low: floatsOf(of.low), high: floatsOf(of.high), said: of.said.map(floatsOf) } : null;
  }, [answer]);
  const current = answer && same(answer.of, values) ? layer : null, changed = !same(values, row.values), unknown = values.filter((x) => x === null).length;
  const name = row.name.replace(/^(row|image) /, (word) => word[0].toUpperCase() + word.slice(1)) + (changed ? ", changed" : "");
  const finding = current && `${name}: ${current.picks.length === 0 ? "no part is needed, the background alone explains it" : list(current.picks.map((p) => fully(model, p.expert)), 6)}.${unknown > 0 ? ` ${plural(unknown, "unknown value")} ${unknown === 1 ? "is" : "are"} predicted.` : ""}`;
  return (
    <div class="rowview">
      <section class="card" aria-label={model.table ? "One row" : "One image"}>
        {picker}
        <div class="row">
          <h2>{name}</h2>
          {changed && <button type="button" onClick={() => setValues(row.values)}>As it was</button>}
          {model.table ? <button type="button" onClick={() => setValues(values.map(() => null))}>All unknown</button> : <Halves height={model.images[0]} width={model.images[1]} onHide={(hidden) => setValues(values.map((x, i) => (hidden(i) ? null : x)))} />}
        </div>
        {wrong && <p class="error" role="alert">{wrong}</p>}
        {model.table ? <Measurements real={real} values={values} layer={layer} onChange={setValues} /> : <Greys real={real} values={values} layer={layer} onChange={setValues} />}
      </section>
      <section class="card" aria-label="Its parts">
        <h2>Its parts</h2>
        <p class="finding" role="status">{finding}</p>
        <ul class="rowparts">
          {layer?.picks.map((p, j) => (
            <li key={`${p.expert} ${p.dy} ${p.dx}`}>
              <span class="row"><Badge expert={p.expert} /><b class="called">{called(model, p.expert)}</b><span class="fine">{poseShort(p) !== "in place" && poseShort(p)}</span><span class="gain">{signed(p.gain)}<small> nats</small></span></span>
              {model.table ? <span class="fine">{real.parts[p.expert]?.words}</span> : <PickedImage real={real} said={layer.said[j]} label={`What part ${p.expert + 1} says here`} />}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

const same = (a: Row, b: Row) => a.length === b.length && a.every((x, i) => x === b[i]);

/** The columns of a row: the value, what the parts say of it, and where both are among the usual values. */
function Measurements({ real, values, layer, onChange }: { real: RealModel; values: Row; layer: Layer | null; onChange: (v: Row) => void }): JSX.Element {
  const { model, ground } = real;
  return (
    <>
      <div class="scrolled" role="region" aria-label="The columns of this row" tabIndex={0}>
        <table class="measured">
          <thead><tr><th scope="col">column</th><th scope="col">value</th><th scope="col">expected</th><th scope="col" class="spread">among the usual values</th></tr></thead>
          <tbody>
            {values.map((x, i) => {
              const by = layer?.picks.filter((_, j) => !Number.isNaN(layer.said[j][i])) ?? [];
              return (
                <tr key={i} class={x === null ? "unknown" : ""}>
                  <th scope="row">{column(model, i)} {by.map((p) => <Badge key={p.expert} expert={p.expert} label={`said by part ${p.expert + 1}`} />)}</th>
                  <td><Field name={column(model, i)} value={x} onChange={(v) => onChange(values.map((old, j) => (j === i ? v : old)))} /></td>
                  <td class="number">{layer && <>{digits(layer.mean[i])} <small>± {digits(layer.deviation[i])}</small></>}</td>
                  <td class="spread">{layer && <Line ground={[ground.mean[i], ground.deviation[i]]} said={[layer.low[i], layer.mean[i], layer.high[i]]} value={x} expert={by[0]?.expert} />}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p class="fine">An empty field is unknown, and is predicted by averaging over the best explanations. <span class="spread">The band is what the parts say (80 % of what they expect), the grey one what is usual, the mark the value.</span></p>
    </>
  );
}

/** A field with a value; empty for unknown. What is no number yet is not taken. */
function Field({ name, value, onChange }: { name: string; value: number | null; onChange: (v: number | null) => void }): JSX.Element {
  const text = value === null ? "" : String(value), [draft, setDraft] = useState(text);
  useEffect(() => setDraft(text), [text]);
  const now = typed(draft);
  return (
    <input type="text" inputMode="decimal" aria-label={`Value of ${name}`} placeholder="unknown" value={draft} aria-invalid={now === undefined}
      onInput={(e) => {
        setDraft(e.currentTarget.value);
        const v = typed(e.currentTarget.value);
        if (v !== undefined && v !== value) onChange(v);
      }}
      onBlur={() => now === undefined && setDraft(text)} />
  );
}

/** The usual values of a column, what is said of it, and the value, on one line. */
function Line({ ground: [mean, deviation], said: [low, middle, high], value, expert }: { ground: [number, number]; said: [number, number, number]; value: number | null; expert?: number }): JSX.Element {
  const line = lineOf(mean, deviation, [low, high, ...(value === null ? [] : [value])]), band = (from: number, to: number) => ({ left: `${line.at(from)}%`, width: `${Math.max(1, line.at(to) - line.at(from))}%` });
  return (
    <span class="line" aria-hidden="true">
      <span class="usual" style={band(mean - deviation, mean + deviation)} />
      <span class="said" style={{ ...band(low, high), ...(expert === undefined ? {} : { backgroundColor: css(hue(expert)) }) }} />
      <i class="middle" style={{ left: `${line.at(middle)}%` }} />
      {value !== null && <i class="value" style={{ left: `${line.at(value)}%` }} />}
    </span>
  );
}

/** Buttons that make half of an image unknown. */
function Halves({ height, width, onHide }: { height: number; width: number; onHide: (hidden: (i: number) => boolean) => void }): JSX.Element {
  return (
    <>
      <button type="button" onClick={() => onHide((i) => Math.floor(i / width) >= height / 2)}>Hide the lower half</button>
      <button type="button" onClick={() => onHide((i) => i % width >= width / 2)}>Hide the right half</button>
    </>
  );
}

/** An image, what its parts say of it, and what they leave. */
function Greys({ real, values, layer, onChange }: { real: RealModel; values: Row; layer: Layer | null; onChange: (v: Row) => void }): JSX.Element {
  const [height, width] = real.model.images, paper = usePaper(), hiding = useRef(false);
  const known = values.filter((x): x is number => x !== null), scale = { ...real.scale, low: Math.min(real.scale.low, ...known), high: Math.max(real.scale.high, ...known) };
  const grey = greyOf(paper, scale, width), left = deviationOf(paper, real.scale), size = { height, width, across: 240 };
  const hide = (e: PointerEvent) => {
    const at = pixelAt(e, height, width), reach = Math.max(0, Math.round(Math.min(height, width) / 20));
    if (!hiding.current || at === null) return;
    onChange(values.map((x, i) => (Math.abs(Math.floor(i / width) - Math.floor(at / width)) <= reach && Math.abs((i % width) - (at % width)) <= reach ? null : x)));
  };
  return (
    <>
      <div class="panels">
        <figure class="hideable" onPointerDown={(e) => { hiding.current = true; hideOn(e, hide); }} onPointerMove={(e) => hideOn(e, hide)} onPointerUp={() => { hiding.current = false; }} onPointerLeave={() => { hiding.current = false; }}>
          <Pixels {...size} label="The image; unknown pixels are hatched" colour={(i) => grey(values[i], i)} />
          <figcaption><b>The image</b> drag over it to make pixels unknown</figcaption>
        </figure>
        {layer && (
          <figure>
            <Pixels {...size} label="What its parts say" colour={(i) => grey(layer.mean[i], i)} />
            <figcaption><b>What its parts say</b> unknown pixels: predicted</figcaption>
          </figure>
        )}
        {layer && (
          <figure>
            <Pixels {...size} label="What is left over: yellow is brighter than expected, blue darker" colour={(i) => left(values[i] === null ? NaN : values[i] - layer.mean[i])} />
            <figcaption><b>What is left</b> yellow is brighter than expected, blue darker</figcaption>
          </figure>
        )}
      </div>
    </>
  );
}

/** Calls f with a pointer event on the canvas of a figure. */
function hideOn(e: PointerEvent & { currentTarget: HTMLElement }, f: (e: PointerEvent) => void): void {
  if (e.target instanceof HTMLCanvasElement) f({ currentTarget: e.target, clientX: e.clientX, clientY: e.clientY } as unknown as PointerEvent);
}

/** What a pick says at its place, as signed deviations. */
function PickedImage({ real, said, label }: { real: RealModel; said: Float32Array; label: string }): JSX.Element {
  const [height, width] = real.model.images, colour = deviationOf(usePaper(), real.scale);
  return <div class="said"><Pixels height={height} width={width} label={label} colour={(i) => colour(said[i] - real.ground.mean[i])} across={120} /></div>;
}
