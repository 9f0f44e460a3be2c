import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { dataID, go, row as chosenRow } from "./address.ts";
import { Bits, ON, UNKNOWN } from "./bits.ts";
import { words, type Data, type Labelled, type Model } from "./api.ts";
import { Cells } from "./cells.tsx";
import { floatsOf } from "./decode.ts";
import { Gallery, useExperts, type Known } from "./experts.tsx";
import { label, plural, signed } from "./format.ts";
import { apart, called, column, fully, gainless, sentence, tell } from "./names.ts";
import { OpenPart } from "./part.tsx";
import { Badge } from "./pixels.tsx";
import { api, data, fitting, useCell } from "./store.ts";
import { Strength } from "./strengths.tsx";
import { useLatest } from "./uselatest.ts";

/** The Tables view: one row explained by its parts, and the parts of a table as lists of columns. */
export function Tables({ model }: { model: Model }): JSX.Element {
  const { experts, wrong } = useExperts(model);
  return (
    <div class="view tables">
      <p class="intro">
        “{model.name}” is for a table of {plural(model.width, "column")}. Each <b>part</b> is a list of columns that go together; a few parts explain a row.{" "}
        {!model.columns && "This file has no column names: columns are counted from 1. "}<b>Change cells, or make them unknown, and watch.</b>
      </p>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      <RowView key={model.id} model={model} experts={experts} />
      <h2>All parts</h2>
      {model.shares && <p class="fine">{model.shares[0].toUpperCase() + model.shares.slice(1)}.</p>}
      <Gallery model={model} experts={experts} most={8} />
      {experts && <OpenPart key={model.id} model={model} experts={experts} />}
    </div>
  );
}

function RowView({ model, experts }: { model: Model; experts: Known[] | null }): JSX.Element {
  const sets = fitting(model, useCell(data)), id = useCell(dataID), set = sets.find((d) => d.id === id) ?? sets[0], at = useCell(chosenRow);
  const index = set && set.id === (id || set.id) ? Math.min(at ?? 0, set.n - 1) : 0;
  const [bits, setBits] = useState(new Bits(1, model.width)), [of, setOf] = useState<Labelled | null>(null), [changed, setChanged] = useState(false), [wrong, setWrong] = useState("");
  useEffect(() => {
    if (!set) return;
    let current = true;
    api.images(set.id, index, 1, model.id).then(({ images: [row] }) => {
      if (!current || !row) return;
      setBits(Bits.parse(row));
      setOf(row);
      setChanged(false);
      setWrong("");
    }, (e: unknown) => current && setWrong(words(e)));
    return () => { current = false; };
  }, [set?.id, index]);
  const { answer: found, wrong: failed } = useLatest(async (b: string) => ({ bits: b, of: await api.explain(model.id, { height: 1, width: model.width, bits: b }, true) }), bits.toImage().bits);
  const answer = found && found.bits === bits.toImage().bits ? found.of : null;
  const predicted = useMemo(() => new Map(answer?.predicted?.map((x) => [x.pixel, x.p])), [answer]);
  const change = (next: Bits) => { setBits(next); setChanged(true); };
  const name = set ? (of?.name || `Row ${index + 1}`).replace(/^row /, "Row ") : "This row", here = changed ? `${name}, changed` : name;
  const layer = useMemo(() => answer && layerOf(answer), [answer]);
  const told = answer && layer && tell(bits.cells, layer.start, layer.p, layer.picks, (i) => column(model, i));
  return (
    <div class="rowview">
      <section class="card" aria-label="One row">
        {set && <RowPicker sets={sets} set={set} index={index} />}
        <div class="row">
          <h2>{here}</h2>
          {changed && set && of && <button type="button" onClick={() => { setBits(Bits.parse(of)); setChanged(false); }}>As it was</button>}
          <button type="button" onClick={() => change(new Bits(1, model.width, new Uint8Array(model.width).fill(UNKNOWN)))}>All unknown</button>
          <button type="button" onClick={() => change(new Bits(1, model.width))}>All off</button>
        </div>
        {of && Object.keys(of.labels).length > 0 && <p class="fine">{Object.entries(of.labels).map(([k, v]) => `${k}: ${label(v)}`).join(", ")}</p>}
        {(wrong || failed) && <p class="error" role="alert">{wrong || failed}</p>}
        <Cells model={model} bits={bits} predicted={predicted} layer={layer} picks={answer?.picks.map((p) => p.expert) ?? []} onChange={(i, value) => {
          const next = bits.copy();
          next.cells[i] = value;
          change(next);
        }} />
      </section>
      <section class="card" aria-label="The parts of this row">
        <h2>Its parts</h2>
        <p class="finding" role="status">{told && sentence(here, told, (k) => fully(model, k))}</p>
        {answer && answer.picks.length > 0 && <p class="fine marks">✓ the row is as the part says · ✗ it is not · ? not known. The bar and the percentage say how often rows with the part have the column.</p>}
        <ul class="rowparts">
          {experts && answer?.picks.map((p) => (
            <li key={p.expert}>
              <span class="row"><Badge expert={p.expert} /><b class="called">{called(model, p.expert)}</b><span class="gain">{gainless(p.gain) ? <small>most rows have it</small> : <>{signed(p.gain ?? null)}<small> nats</small></>}</span></span>
              <Because expert={experts[p.expert]} bits={bits} />
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

interface Layer {
  start: Float32Array;
  p: Float32Array;
  picks: { expert: number; gain?: number | null; votes: Float32Array }[];
  /** For each column the pick that decides it, -1 for none. */
  speaker: Int16Array;
}

function layerOf(answer: Awaited<ReturnType<typeof api.explain>>): Layer {
  const { detail } = answer, steps = detail.steps, start = floatsOf(detail.start);
  return {
    start,
    p: steps.length ? floatsOf(steps[steps.length - 1].p) : start,
    picks: answer.picks.map((x, j) => ({ expert: x.expert, gain: x.gain, votes: floatsOf(steps[j].votes) })),
    speaker: Int16Array.from(atob(detail.speakers), (c) => c.charCodeAt(0) - 1),
  };
}

/** Chooses a row: by its number, by its name, or the next one. */
export function RowPicker({ sets, set, index }: { sets: Data[]; set: Data; index: number }): JSX.Element {
  const to = (i: number) => go({ data: set.id, row: Math.min(set.n - 1, Math.max(0, i)) });
  return (
    <div class="row picker">
      {sets.length > 1 ? (
        <select aria-label="Data set" value={set.id} onChange={(e) => go({ data: e.currentTarget.value, row: 0 })}>
          {sets.map((d) => <option key={d.id} value={d.id}>{apart(sets, d)}</option>)}
        </select>
      ) : <span>{set.name}</span>}
      {Object.keys(set.labels).length > 0 && <FindRow key={set.id} set={set} onRow={to} />}
      <span class="segment">
        <button type="button" aria-label="Row before" disabled={index === 0} onClick={() => to(index - 1)}>‹</button>
        <button type="button" aria-label="Next row" disabled={index >= set.n - 1} onClick={() => to(index + 1)}>›</button>
      </span>
      <label class="inline">Row
        <input type="number" min="1" max={set.n} value={index + 1} onChange={(e) => to((e.currentTarget.valueAsNumber || 1) - 1)} /> of {set.n}
      </label>
    </div>
  );
}

const option = (r: { index: number; name: string }) => (r.name.startsWith("row ") ? r.name : `${r.name} · row ${r.index + 1}`);

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

/** The columns on which a part votes, and whether the row agrees; all of them on request. */
function Because({ expert, bits }: { expert: Known; bits: Bits }): JSX.Element {
  const columns = expert.columns ?? [], most = 8, [all, setAll] = useState(false);
  return (
    <div class="strengths">
      {columns.slice(0, all ? undefined : most).map((c) => {
        const agrees = bits.cells[c.index] === UNKNOWN ? "unknown" : (bits.cells[c.index] === ON) === c.p >= 0.5 ? "agrees" : "disagrees";
        return <Strength key={c.index} kind={agrees} name={c.name} p={c.p} q={c.q} expert={expert.index} mark={<><span class="mark" role="img" aria-label={agrees}>{{ agrees: "✓", disagrees: "✗", unknown: "?" }[agrees]}</span> </>} />;
      })}
      {columns.length > most && <button type="button" class="more" aria-expanded={all} onClick={() => setAll(!all)}>{all ? "Fewer" : plural(columns.length - most, "more column")}</button>}
    </div>
  );
}
