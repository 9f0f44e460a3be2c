import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Bits, OFF, ON, UNKNOWN } from "./bits.ts";
import { words, type Model } from "./api.ts";
import { Strengths, useExperts, Vote, type Known } from "./experts.tsx";
import { count, label, number, percent } from "./format.ts";
import { Badge } from "./pixels.tsx";
import { api, data, fitting, useCell } from "./store.ts";
import { useLatest } from "./uselatest.ts";

/** The Tables view: the parts of a table as lists of columns, and one row explained by its parts. */
export function Tables({ model }: { model: Model }): JSX.Element {
  const { experts, wrong } = useExperts(model);
  return (
    <div class="view tables">
      <p class="intro">
        “{model.name}” is for a table of {model.width} columns. Each <b>part</b> is a list of columns that go together; a few parts explain a row.{" "}
        <b>Change cells, or make them unknown, and watch.</b>
      </p>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      <RowView key={model.id} model={model} experts={experts} />
      <h2>All parts</h2>
      <ul class="gallery parts">
        {experts?.map((e) => (
          <li key={e.index} class="card">
            <span class="row"><Badge expert={e.index} /><b>part {e.index}</b>{e.usage !== null && <span class="fine">in {percent(e.usage)} of rows</span>}</span>
            <Strengths expert={e} most={12} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function RowView({ model, experts }: { model: Model; experts: Known[] | null }): JSX.Element {
  const sets = fitting(model, useCell(data)), set = sets[0];
  const [row, setRow] = useState(0), [bits, setBits] = useState(new Bits(1, model.width)), [labels, setLabels] = useState<Record<string, string>>({}), [wrong, setWrong] = useState("");
  useEffect(() => {
    if (!set) return;
    let current = true;
    api.images(set.id, row, 1).then((a) => {
      if (!current || !a.images[0]) return;
      setBits(Bits.parse(a.images[0]));
      setLabels(a.images[0].labels ?? {});
      setWrong("");
    }, (e: unknown) => current && setWrong(words(e)));
    return () => { current = false; };
  }, [set?.id, row]);
  const { answer, wrong: failed } = useLatest((b: string) => api.explain(model.id, { height: 1, width: model.width, bits: b }, true), bits.toImage().bits);
  const predicted = useMemo(() => new Map(answer?.predicted?.map((x) => [x.pixel, x.p])), [answer]);
  const change = (i: number, value: number) => {
    const next = bits.copy();
    next.cells[i] = value;
    setBits(next);
  };
  const unknown = bits.cells.reduce((n, c) => n + (c === UNKNOWN ? 1 : 0), 0);
  const picks = answer?.picks ?? [];
  return (
    <div class="rowview">
      <section class="card" aria-label="One row">
        <div class="row">
          <h2>One row</h2>
          {set && (
            <label class="inline">Row
              <input type="number" min="0" max={set.n - 1} value={row} onInput={(e) => setRow(Math.min(set.n - 1, Math.max(0, e.currentTarget.valueAsNumber || 0)))} /> of {set.name}
            </label>
          )}
          <button type="button" onClick={() => setBits(new Bits(1, model.width, new Uint8Array(model.width).fill(UNKNOWN)))}>All unknown</button>
          <button type="button" onClick={() => setBits(new Bits(1, model.width))}>All off</button>
        </div>
        {Object.keys(labels).length > 0 && <p class="fine">{Object.entries(labels).map(([k, v]) => `${k}: ${label(v)}`).join(", ")}</p>}
        {(wrong || failed) && <p class="error" role="alert">{wrong || failed}</p>}
        <Cells model={model} bits={bits} predicted={predicted} onChange={change} />
        <p class="fine">Click a cell: on, off, unknown. Keys: 1, 0, ? and arrows. {unknown > 0 && "Unknown cells show the probability of “on”, averaged over the best explanations."}</p>
      </section>
      <section class="card" aria-label="The parts of this row">
        <h2>Its parts</h2>
        <p class="finding" role="status">
          {answer ? picks.length === 0 ? "No part is needed: the background alone explains the row." : `${count(picks.length, "part")} explain${picks.length === 1 ? "s" : ""} this row: ${picks.map((p) => `part ${p.expert}`).join(", ")}.` : ""}
        </p>
        <ul class="rowparts">
          {experts && picks.map((p) => (
            <li key={p.expert}>
              <span class="row"><Badge expert={p.expert} /><b>part {p.expert}</b><span class="gain">+{number(p.gain ?? null)}<small> nats</small></span></span>
              <Because expert={experts[p.expert]} bits={bits} />
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

/** The columns on which a part votes, and whether the row agrees. */
function Because({ expert, bits }: { expert: Known; bits: Bits }): JSX.Element {
  const columns = expert.columns ?? [], most = 10;
  return (
    <span class="strengths">
      {columns.slice(0, most).map((c) => {
        const agrees = bits.cells[c.index] === UNKNOWN ? "unknown" : (bits.cells[c.index] === ON) === c.p >= 0.5 ? "agrees" : "disagrees";
        return (
          <span key={c.index} class={`strength ${agrees}`}>
            <span class="name" title={c.name}><span role="img" aria-label={agrees}>{{ agrees: "✓", disagrees: "✗", unknown: "?" }[agrees]}</span> {c.name}</span>
            <Vote p={c.p} q={c.q} expert={expert.index} />
            <span class="value">{percent(c.p)}</span>
          </span>
        );
      })}
      {columns.length > most && <span class="fine">and {columns.length - most} more</span>}
    </span>
  );
}

/** The cells of a row as three-way switches; one of them is in the tab order, and arrow keys move between them. */
function Cells({ model, bits, predicted, onChange }: { model: Model; bits: Bits; predicted: Map<number, number>; onChange: (i: number, value: number) => void }): JSX.Element {
  const [focus, setFocus] = useState(0), list = useRef<HTMLDivElement>(null);
  const move = (to: number) => {
    const i = Math.min(model.width - 1, Math.max(0, to));
    setFocus(i);
    list.current?.querySelectorAll<HTMLElement>("[role=checkbox]")[i]?.focus();
  };
  const key = (e: KeyboardEvent, i: number) => {
    const value = { "1": ON, "0": OFF, "?": UNKNOWN, "Delete": UNKNOWN }[e.key];
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    if (value !== undefined) onChange(i, value);
    else if (step) move(i + step);
    else if (e.key === "Home") move(0);
    else if (e.key === "End") move(model.width - 1);
    else return;
    e.preventDefault();
  };
  return (
    <div class="cells" role="group" aria-label="Cells of the row" ref={list}>
      {Array.from(bits.cells, (c, i) => {
        const name = model.columns?.[i] ?? `column ${i}`, p = c === UNKNOWN ? predicted.get(i) : undefined;
        return (
          <button key={i} type="button" role="checkbox" aria-checked={c === ON ? "true" : c === OFF ? "false" : "mixed"} tabIndex={i === focus ? 0 : -1}
            class={`bit ${["off", "on", "unknown"][c]}`} aria-label={`${name}${p === undefined ? "" : `, unknown, on with ${percent(p)}`}`}
            onFocus={() => setFocus(i)} onKeyDown={(e) => key(e, i)} onClick={() => onChange(i, c === OFF ? UNKNOWN : c === ON ? OFF : ON)}>
            <span class="state" aria-hidden="true">{["0", "1", "?"][c]}</span>
            <span class="name">{name}</span>
            {p !== undefined && <span class="p"><span class="bar"><span style={{ width: `${100 * p}%` }} /></span>{percent(p)}</span>}
          </button>
        );
      })}
    </div>
  );
}
