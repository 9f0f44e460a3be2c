import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { floatsOf } from "./decode.ts";
import type { Parts } from "./experts.tsx";
import { digits, lineOf, percent, typed } from "./format.ts";
import { column } from "./names.ts";
import { deviationOf, greyOf, type Scale } from "./paint.ts";
import { css, hue } from "./palette.ts";
import { Badge, pixelAt, Pixels } from "./pixels.tsx";
import type { Layer, Row } from "./rows.tsx";
import { usePaper } from "./theme.ts";

/** The columns of a row of numbers: the value, what the parts say of it, and where both are among the usual values. */
export function Measurements({ parts, row, layer, onChange }: { parts: Parts; row: Row; layer: Layer | null; onChange: (i: number, x: number | null) => void }): JSX.Element {
  const { model } = parts, usual = floatsOf(parts.ground?.deviation ?? "");
  return (
    <>
      <div class="scrolled" role="region" aria-label="The columns of this row" tabIndex={0}>
        <table class="measured">
          <thead><tr><th scope="col">column</th><th scope="col">value</th><th scope="col">expected</th><th scope="col" class="spread">among the usual values</th></tr></thead>
          <tbody>
            {row.map((x, i) => {
              const by = layer?.picks.filter((p) => !Number.isNaN(p.votes[i])) ?? [], name = column(model, i), said = parts.ground?.words?.[i];
              return (
                <tr key={i} class={x === null ? "unknown" : ""}>
                  <th scope="row">{name} {by.map((p) => <Badge key={p.part} expert={p.part} label={`said by part ${p.part + 1}`} />)}</th>
                  <td>{said ? <Choice name={name} words={said} value={x} onChange={(v) => onChange(i, v)} /> : <Field name={name} value={x} onChange={(v) => onChange(i, v)} />}</td>
                  {said ? <td class="number" colSpan={2}>{layer?.expected[i]}</td> : (
                    <>
                      <td class="number">{layer && <Expected layer={layer} i={i} />}</td>
                      <td class="spread">{layer && <Line usual={[layer.start[i], usual[i]]} said={Number.isNaN(layer.low[i]) ? [0, layer.p[i], layer.p[i]] : [layer.low[i], layer.p[i], layer.high[i]]} value={x} expert={by[0]?.part} />}</td>
                    </>
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p class="fine">An empty field is unknown, and is predicted. Expected are the mean and the ends of 80 %. <span class="spread">The band is that, the grey one what is usual, the mark the value.</span></p>
    </>
  );
}

/** What is expected of a number, or of 0 and 1 how probable 1 is. */
function Expected({ layer: { p, low, high }, i }: { layer: Layer; i: number }): JSX.Element {
  if (Number.isNaN(low[i])) return <>{percent(p[i])}</>;
  return <>{digits(p[i])} <small>{digits(low[i])} to {digits(high[i])}</small></>;
}

/** The words that a column may have. */
function Choice(props: { name: string; words: string[]; value: number | null; onChange: (v: number | null) => void }): JSX.Element {
  const { name, words, value, onChange } = props;
  return (
    <select aria-label={`Value of ${name}`} value={value ?? ""} onChange={(e) => onChange(e.currentTarget.value === "" ? null : Number(e.currentTarget.value))}>
      <option value="">unknown</option>
      {words.map((w, k) => <option key={w} value={k}>{w}</option>)}
    </select>
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
function Line({ usual: [mean, deviation], said: [low, middle, high], value, expert }: { usual: [number, number]; said: [number, number, number]; value: number | null; expert?: number }): JSX.Element {
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

/** A grey image, what its parts say of it, and what they leave; dragging over it makes pixels unknown. */
export function Greys({ parts, row, layer, onChange }: { parts: Parts; row: Row; layer: Layer | null; onChange: (row: Row) => void }): JSX.Element {
  const [height, width] = parts.model.images, paper = usePaper(), hiding = useRef(false), base = parts.scale as Scale;
  const known = row.filter((x): x is number => x !== null), scale = { low: Math.min(base.low, ...known), high: Math.max(base.high, ...known) };
  const grey = greyOf(paper, scale, width), left = deviationOf(paper, base), size = { height, width, across: 240 };
  const hide = (e: PointerEvent) => {
    if (!hiding.current || !(e.target instanceof HTMLCanvasElement)) return;
    const at = pixelAt(e, height, width, e.target), reach = Math.max(0, Math.round(Math.min(height, width) / 20));
    if (at !== null) onChange(row.map((x, i) => (Math.abs(Math.floor(i / width) - Math.floor(at / width)) <= reach && Math.abs((i % width) - (at % width)) <= reach ? null : x)));
  };
  return (
    <div class="panels">
      <figure class="hideable" onPointerDown={(e) => { hiding.current = true; hide(e); }} onPointerMove={hide} onPointerUp={() => { hiding.current = false; }} onPointerLeave={() => { hiding.current = false; }}>
        <Pixels {...size} label="The image; unknown pixels are hatched" colour={(i) => grey(row[i], i)} />
        <figcaption><b>The image</b> drag over it to make pixels unknown</figcaption>
      </figure>
      {layer && (
        <figure>
          <Pixels {...size} label="What its parts say" colour={(i) => grey(layer.p[i], i)} />
          <figcaption><b>What its parts say</b> unknown pixels: predicted</figcaption>
        </figure>
      )}
      {layer && (
        <figure>
          <Pixels {...size} label="What is left over: yellow is brighter than expected, blue darker" colour={(i) => left((row[i] ?? NaN) - layer.p[i])} />
          <figcaption><b>What is left</b> yellow is brighter than expected, blue darker</figcaption>
        </figure>
      )}
    </div>
  );
}
