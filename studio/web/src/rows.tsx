import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { dataID, go, row as chosenRow } from "./address.ts";
import { words, type Data, type Explained, type Labelled, type Model, type WireImage } from "./api.ts";
import { Cells } from "./cells.tsx";
import { SetPicker, Steps } from "./choosers.tsx";
import { floatsOf } from "./decode.ts";
import { speakersOf } from "./drawing.ts";
import { partColour, useParts, type Known, type Parts } from "./experts.tsx";
import { label, plural, poseShort, signed } from "./format.ts";
import { odds } from "./find.tsx";
import { Greys, Measurements } from "./measured.tsx";
import { column, fully, gainless, list, sentence, tell } from "./names.ts";
import { telling, useOverview, useShownSet } from "./overview.tsx";
import { OpenPart, PartName } from "./part.tsx";
import { Badge, Pixels } from "./pixels.tsx";
import { api, ofNumbers, useCell } from "./store.ts";
import { Strength } from "./strengths.tsx";
import { usePaper } from "./theme.ts";
import { useLatest } from "./uselatest.ts";

/** A row of a table, or an image: bits or numbers, null where they are unknown. */
export type Row = (number | null)[];

/** An explanation, decoded. */
export interface Layer {
  start: Float32Array;
  /** What all picks say together; of numbers that are unknown what is predicted. */
  p: Float32Array;
  picks: (Explained["picks"][number] & { votes: Float32Array })[];
  /** For each bit the pick that decides it, -1 for none. */
  speaker: Int16Array;
  /** Of numbers: what is expected, in words of an interval. */
  deviation: Float32Array;
  low: Float32Array;
  high: Float32Array;
  /** Of a table of numbers, and words: what is expected of each column, in words. */
  expected: string[];
}

/** The Rows view: a row or an image of numbers explained, what is unknown in it predicted, and all parts. */
export function Rows({ model }: { model: Model }): JSX.Element {
  const { parts, wrong } = useParts(model), numbers = ofNumbers(model);
  return (
    <div class="view rowsview">
      <p class="intro">
        “{model.name}” is for {model.table ? `a table of ${plural(model.width, "column")}` : `images of ${model.images[0]} × ${model.images[1]} pixels`}{numbers && ", whose numbers are taken as they are"}.{" "}
        {numbers ? <>A <b>part</b> says of some {model.table ? "columns" : "pixels"} what their value is, and how sure it is; the others have no vote.</> : <>Each <b>part</b> is a list of columns that go together; a few parts explain a row.</>}{" "}
        {model.table && !model.columns && "This file has no column names: columns are counted from 1. "}<b>Change {numbers ? "a value" : "cells"}, or make {numbers ? "it" : "them"} unknown, and watch.</b>
      </p>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      <RowView key={model.id} model={model} parts={parts} />
      <p><a href={`#/experts?model=${model.id}`}>{model.experts === 0 ? "No parts: the background alone" : `All ${plural(model.experts, "part")}, and all ${model.table ? "rows" : "images"} by them`}</a></p>
      {parts && <OpenPart key={model.id} parts={parts} />}
    </div>
  );
}

/** A row of the service. */
const rowOf = (image: { bits?: string; values?: Row }): Row => image.values ?? Array.from(image.bits ?? "", (c) => (c === "?" ? null : Number(c)));

function imageOf(model: Model, row: Row): WireImage {
  const [height, width] = model.images;
  return ofNumbers(model) ? { height, width, values: row } : { height, width, bits: row.map((x) => x ?? "?").join("") };
}

const same = (a: Row, b: Row) => a.length === b.length && a.every((x, i) => x === b[i]);

function RowView({ model, parts }: { model: Model; parts: Parts | null }): JSX.Element {
  const { sets, set } = useShownSet(model), at = useCell(chosenRow), { all: every } = useOverview(model, at === null ? set : undefined);
  const index = set ? Math.min(at ?? 0, set.n - 1) : 0, numbers = ofNumbers(model), [height, width] = model.images;
  const all = (x: number | null): Row => Array.from({ length: height * width }, () => x);
  const [row, setRow] = useState<Row>(() => all(numbers ? null : 0)), [of, setOf] = useState<Labelled | null>(null), [wrong, setWrong] = useState("");
  useEffect(() => {
    if (!set) return;
    let current = true;
    api.images(set.id, index, 1, model.id).then(({ images: [x] }) => {
      if (!current || !x) return;
      setRow(rowOf(x));
      setOf(x);
      setWrong("");
    }, (e: unknown) => current && setWrong(words(e)));
    return () => { current = false; };
  }, [set?.id, index]);
  const { answer, wrong: failed } = useLatest(async (r: Row) => ({ row: r, found: await api.explain(model.id, imageOf(model, r), true) }), row);
  const layer = useMemo(() => answer && layerOf(answer.found), [answer]), current = answer !== null && same(answer.row, row);
  const changed = of ? !same(row, rowOf(of)) : set !== undefined, noun = model.table ? "Row" : "Image";
  useEffect(() => { // begins with a row that shows much, unless one has been changed by then
    if (!set || !every || chosenRow.value !== null || (of && changed)) return;
    dataID.set(set.id);
    chosenRow.set(telling(every));
  }, [every]);
  const name = set ? (of?.name || `${noun} ${index + 1}`).replace(/^(row|image) /, `${noun} `) : `This ${noun.toLowerCase()}`, here = changed ? `${name}, changed` : name;
  const predicted = useMemo(() => new Map(answer?.found.predicted?.map((x) => [x.pixel, x.p])), [answer]);
  const labels = Object.entries(of?.labels ?? {}).filter(([, v]) => v !== of?.name), change = (i: number, x: number | null) => setRow(row.map((old, j) => (j === i ? x : old)));
  return (
    <div class="rowview">
      <section class="card" aria-label={`One ${noun.toLowerCase()}`}>
        {set && <RowPicker sets={sets} set={set} index={index} />}
        <div class="row">
          <h2>{here}</h2>
          {changed && of && <button type="button" onClick={() => setRow(rowOf(of))}>As it was</button>}
          {model.table && <button type="button" onClick={() => setRow(all(null))}>All unknown</button>}
          {model.table && !numbers && <button type="button" onClick={() => setRow(all(0))}>All off</button>}
          {!model.table && <button type="button" onClick={() => setRow(row.map((x, i) => (Math.floor(i / width) >= height / 2 ? null : x)))}>Hide the lower half</button>}
          {!model.table && <button type="button" onClick={() => setRow(row.map((x, i) => (i % width >= width / 2 ? null : x)))}>Hide the right half</button>}
        </div>
        {labels.length > 0 && <p class="fine">{labels.map(([k, v]) => `${k}: ${label(v)}`).join(", ")}</p>}
        {(wrong || failed) && <p class="error" role="alert">{wrong || failed}</p>}
        {!numbers ? <Cells model={model} row={row} predicted={current ? predicted : new Map()} layer={current ? layer : null} onChange={change} />
          : parts && (model.table ? <Measurements parts={parts} row={row} layer={layer} onChange={change} /> : <Greys parts={parts} row={row} layer={layer} onChange={setRow} />)}
      </section>
      <section class={`card ${current || !answer ? "" : "stale"}`} aria-label={`The parts of this ${noun.toLowerCase()}`}>
        <h2>Its parts</h2>
        <p class="finding" role="status">{current && layer && said(model, here, row, layer)}</p>
        {model.table && !numbers && layer && layer.picks.length > 0 && <p class="fine marks">✓ the row is as the part says · ✗ it is not · ? not known. The bar ends at what the part says; the line is what is said otherwise.</p>}
        <ul class="rowparts">
          {parts && layer?.picks.map((p) => (
            <li key={`${p.part} ${p.dy} ${p.dx}`}>
              <span class="row">
                <Badge expert={p.part} /><PartName model={model} k={p.part} />{!model.table && poseShort(p) !== "in place" && <span class="fine">{poseShort(p)}</span>}
                <span class="gain" title={`${signed(p.gain)} nats`}><small>{gainless(p.gain) ? "most rows have it" : `odds ${odds(p.gain ?? Infinity)}`}</small></span>
              </span>
              {model.table ? <Because expert={parts.experts[p.part]} row={numbers ? null : row} /> : <Said parts={parts} votes={p.votes} k={p.part} />}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function layerOf({ detail: d, picks }: Explained): Layer {
  const start = floatsOf(d.start), last = d.steps.at(-1);
  return {
    start, p: last ? floatsOf(last.p) : start, picks: picks.map((x, j) => ({ ...x, votes: floatsOf(d.steps[j].votes) })), speaker: last ? speakersOf(last.speakers) : new Int16Array(start.length).fill(-1),
    deviation: floatsOf(d.deviation ?? ""), low: floatsOf(d.low ?? ""), high: floatsOf(d.high ?? ""), expected: d.expected ?? [],
  };
}

/** The explanation in words. */
function said(model: Model, name: string, row: Row, layer: Layer): string {
  if (!ofNumbers(model)) return sentence(name, tell(row, layer.start, layer.p, layer.picks, (i) => column(model, i)), (k) => fully(model, k));
  const unknown = row.filter((x) => x === null).length;
  return `${name}: ${layer.picks.length === 0 ? "no part is needed, the background alone explains it" : list(layer.picks.map((p) => fully(model, p.part)), 6)}.${unknown > 0 ? ` ${plural(unknown, "unknown value")} ${unknown === 1 ? "is" : "are"} predicted.` : ""}`;
}

/** Chooses a row: by its number, by its name, or the next one. */
function RowPicker({ sets, set, index }: { sets: Data[]; set: Data; index: number }): JSX.Element {
  const to = (i: number) => go({ data: set.id, row: Math.min(set.n - 1, Math.max(0, i)) }), noun = set.table ? "Row" : "Image";
  const [typed, setTyped] = useState<string | null>(null); // what is typed stays, whatever is drawn anew meanwhile
  return (
    <div class="row picker">
      <SetPicker sets={sets} set={set} onChoose={(id) => go({ data: id, row: 0 })} />
      {Object.keys(set.labels).length > 0 && <FindRow key={set.id} set={set} onRow={to} />}
      <Steps names={[`${noun} before`, `Next ${noun.toLowerCase()}`]} first={index === 0} last={index >= set.n - 1} onStep={(by) => to(index + by)} />
      <label class="inline">{noun}
        <input type="number" min="1" max={set.n} value={typed ?? index + 1} onInput={(e) => setTyped(e.currentTarget.value)}
          onChange={(e) => { setTyped(null); to((e.currentTarget.valueAsNumber || 1) - 1); }} /> of {set.n}
      </label>
    </div>
  );
}

const option = (r: { index: number; name: string }) => (/^(row|image) /.test(r.name) ? r.name : `${r.name} · row ${r.index + 1}`);

/** Finds a row by the text of its labels: the browser lists what fits while one types. */
function FindRow({ set, onRow }: { set: Data; onRow: (index: number) => void }): JSX.Element {
  const [text, setText] = useState("");
  const { answer } = useLatest((search: string) => api.rows(set.id, search), text.replace(/ · row \d+$/, "")), id = `rows-of-${set.id}`;
  const take = (typed: string) => {
    setText(typed);
    const exact = answer?.images.find((r) => option(r) === typed);
    if (!exact) return;
    onRow(exact.index);
    setText("");
  };
  const enter = (e: KeyboardEvent) => {
    if (e.key !== "Enter" || !answer?.images[0]) return;
    e.preventDefault();
    onRow(answer.images[0].index);
    setText("");
  };
  return (
    <>
      <input type="search" class="find" list={id} value={text} placeholder="Find a row by name" aria-label="Find a row by name" onInput={(e) => take(e.currentTarget.value)} onKeyDown={enter} />
      <datalist id={id}>{answer?.images.filter((r) => r.name).map((r) => <option key={r.index} value={option(r)} />)}</datalist>
      <span class="hidden" role="status">{text && answer ? plural(answer.total, "row") : ""}</span>
      {text && answer?.total === 0 && <span class="fine">no row is called so</span>}
    </>
  );
}

/** The columns on which a part votes, and whether a row of bits agrees; all of them on request. */
function Because({ expert, row }: { expert: Known; row: Row | null }): JSX.Element {
  const columns = expert.columns ?? [], most = 8, [all, setAll] = useState(false);
  return (
    <div class="strengths">
      {columns.slice(0, all ? undefined : most).map((c) => {
        if (!row) return <Strength key={c.index} vote={c} expert={expert.index} />;
        const x = row[c.index], agrees = x === null ? "unknown" : (x === 1) === c.p >= 0.5 ? "agrees" : "disagrees";
        return <Strength key={c.index} kind={agrees} vote={c} expert={expert.index} mark={<><span class="mark" role="img" aria-label={agrees}>{{ agrees: "✓", disagrees: "✗", unknown: "?" }[agrees]}</span> </>} />;
      })}
      {columns.length > most && <button type="button" class="more" aria-expanded={all} onClick={() => setAll(!all)}>{all ? "Fewer" : plural(columns.length - most, "more column")}</button>}
    </div>
  );
}

/** What a pick says at its place in an image. */
function Said({ parts, votes, k }: { parts: Parts; votes: Float32Array; k: number }): JSX.Element {
  const [height, width] = parts.model.images, colour = partColour(parts, usePaper())(votes);
  return <div class="said"><Pixels height={height} width={width} label={`What part ${k + 1} says here`} colour={colour} across={120} /></div>;
}
