import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { dataID, go, view } from "./address.ts";
import type { Column, Data, Sent } from "./api.ts";
import { Bits } from "./bits.ts";
import { OpenButton } from "./choosers.tsx";
import { exampleName } from "./examples.tsx";
import { digits, percent, plural } from "./format.ts";
import { apart, list } from "./names.ts";
import { controls, kinds, plain } from "./plain.ts";
import { fixed, opened, readAgain, readers, refused, take, type How, type Opened } from "./opened.ts";
import { bitColour, greyOf } from "./paint.ts";
import { Pixels } from "./pixels.tsx";
import { api, fitting, models, server, useCell, useModel } from "./store.ts";
import { usePaper } from "./theme.ts";
import { useLatest } from "./uselatest.ts";

/** Buttons that open files, or a folder of pictures. */
export function OpenFiles({ fine, short }: { fine?: string; short?: boolean }): JSX.Element | null {
  const s = useCell(server), opens = (files: Sent[]) => void take(files);
  if (s?.upload === false) return null;
  return (
    <div class="row">
      <OpenButton label={short ? "Open…" : "Open files…"} title="Open a model, a table, or pictures" test={short ? "any-file" : "file"} name="Files to open" onFiles={opens} />
      {!short && <OpenButton folder label="Open a folder…" test="folder" name="Folder to open" onFiles={opens} />}
      {fine && <span class="fine">{fine}</span>}
    </div>
  );
}

/** What was opened last, at the top of every view: what was read, what went wrong, and how to read it differently. */
export function Reading(): JSX.Element | null {
  const o = useCell(opened), no = useCell(refused), all = useCell(models), at = useCell(view), model = useModel(), box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (no || o?.wrong) box.current?.scrollIntoView({ block: "nearest" });
  }, [no, o?.wrong]);
  if (no) {
    return (
      <section class="reading" ref={box} aria-label="What was opened">
        <p class="error" role="alert">{no} <button type="button" aria-label="Close this message" onClick={() => refused.set("")}>×</button></p>
      </section>
    );
  }
  if (!o || (at !== "learn" && !o.wrong && !o.how.model && o.data && model && fitting(model, [o.data]).length > 0)) return null;
  const like = all.find((m) => m.id === o.how.model);
  return (
    <section class="reading card" ref={box} aria-label="What was opened">
      <div class="row head">
        <h2>{o.name}</h2>
        <span role="status">{o.busy ? "reading…" : o.data ? size(o.data) : ""}</span>
        <button type="button" class="close" aria-label="Close what was opened" onClick={() => opened.set(null)}>×</button>
      </div>
      {o.wrong && <p class="error" role="alert">{o.name} {o.files.length > 1 && o.name === `${o.files.length} files` ? "were" : "was"} not read: {o.wrong.startsWith(`${o.name}: `) ? o.wrong.slice(o.name.length + 2) : o.wrong}</p>}
      {o.wrong && like && (
        <p class="row">It was read as the data of the model “{like.name}”. <button type="button" disabled={o.busy} onClick={() => void readAgain({ ...o.how, model: "" })}>Read it by itself</button></p>
      )}
      <Fixes flags={o.fix} opened={o} />
      {o.data && <WasRead data={o.data} opened={o} />}
      {(at === "learn" || o.wrong) && (
        <details class="again" key={o.files[0].path} open={o.wrong !== ""}>
          <summary>Read it differently</summary>
          <Controls opened={o} />
        </details>
      )}
    </section>
  );
}

function size(d: Data): string {
  return d.table ? `${plural(d.n, "row")} of ${plural(d.width, "column")}` : `${plural(d.n, "image")} of ${d.height} × ${d.width} pixels`;
}

/** The first images of what was read. */
function Preview({ data: d }: { data: Data }): JSX.Element {
  const { answer } = useLatest((id: string) => api.images(id, 0, 12), d.id), images = answer?.images ?? [], paper = usePaper();
  const all = images.flatMap((x) => x.values?.filter((v) => v !== null) ?? []);
  const grey = greyOf(paper, { low: Math.min(...all), high: Math.max(...all) }, d.width);
  return (
    <ul class="strip">
      {images.map((x) => {
        const bits = x.values ? null : Bits.parse(x), colour = (i: number) => (bits ? bitColour(paper, bits, i) : grey(x.values?.[i] ?? null, i));
        return <li key={x.index}><Pixels height={x.height} width={x.width} label={exampleName(x)} colour={colour} across={72} /></li>;
      })}
    </ul>
  );
}

/** Buttons that read the files again as flags of a command line ask for. */
export function Fixes({ flags, opened: o }: { flags: string[]; opened: Opened }): JSX.Element | null {
  const all = flags.map((f) => fixed(f, o.how)).filter((f) => f !== null);
  return all.length > 0 ? <p class="row">{all.map((f) => <button key={f.words} type="button" disabled={o.busy} onClick={() => void readAgain(f.how)}>{f.words}</button>)}</p> : null;
}

/** The plan of a table: what each column was taken for, which one changes here. */
function Plan({ columns, opened: o }: { columns: Column[]; opened: Opened }): JSX.Element {
  const facts = (c: Column) => [
    c.yes === undefined ? "" : `${percent(c.yes)} yes`, c.range ? `${digits(c.range.low)} to ${digits(c.range.high)}` : "",
    c.values ? list(c.values.map((v) => v.value), 3) : "", c.missing > 0 ? `${percent(c.missing / c.cells)} unknown` : "",
  ].filter((f) => f !== "").join("; ");
  const names = new Map(columns.map((c) => [c.name, c])), all = o.columns.map((name) => names.get(name) ?? name);
  return (
    <div class="scrolled plan" role="region" aria-label="What each column is" tabIndex={0}>
      <table class="measured">
        <thead><tr><th scope="col">column</th><th scope="col">is taken for</th><th scope="col">has</th></tr></thead>
        <tbody>
          {all.map((c) => {
            const name = typeof c === "string" ? c : c.name, kind = o.how.column[name] ?? (typeof c === "string" ? "unknown" : c.kind);
            const set = (to: string) => void readAgain({ ...o.how, column: { ...o.how.column, [name]: to } });
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <select aria-label={`What ${name} is`} value={kind} onChange={(e) => set(e.currentTarget.value)}>
                    {Object.entries(kinds).map(([k, v]) => <option key={k} value={k}>{v}</option>)}
                  </select>
                </td>
                <td>{typeof c === "string" ? "" : facts(c)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** What was understood of the files, where one learns from them; elsewhere a way there. */
function WasRead({ data: d, opened: o }: { data: Data; opened: Opened }): JSX.Element {
  const at = useCell(view), chosenID = useCell(dataID), labels = Object.keys(d.labels);
  const buttons = (flags: string[] | undefined) => (flags ?? []).filter((f) => !d.plan || !f.startsWith("--column"));
  const notes = d.notes.length > 0 && (
    <ul class="fine notes">{d.notes.map((n) => <li key={n.text}>{plain(n.text)}<Fixes flags={buttons(n.fix)} opened={o} /></li>)}</ul>
  );
  if (at !== "learn" || chosenID !== d.id) {
    return (
      <>
        {o.how.model && notes}
        <div class="row"><button type="button" class="main" onClick={() => go({ view: "learn", data: d.id })}>Learn parts from it</button></div>
      </>
    );
  }
  return (
    <>
      {!d.table && labels.length > 0 && <p class="fine">Labels, which are not learned from: <b>{labels.join(", ")}</b>.</p>}
      {d.table && !d.columns && <p class="fine">This file has no column names: columns are counted from 1.</p>}
      {d.table && d.plan ? <Plan columns={d.plan} opened={o} /> : <Preview key={d.id} data={d} />}
      {notes}
    </>
  );
}

/** Chooses how the files are read; they are sent again, without being chosen again. */
function Controls({ opened: o }: { opened: Opened }): JSX.Element {
  const [how, setHow] = useState<How>(o.how), table = o.columns.length > 0 || o.data?.table === true;
  useEffect(() => setHow(o.how), [o.how]);
  const { columns } = o, own = readers(useCell(models)), text = o.files.length === 1 && /\.(csv|tsv|txt)$/i.test(o.name);
  return (
    <form class="how" onSubmit={(e) => { e.preventDefault(); void readAgain(how); }}>
      {own.length > 0 && (
        <label class="field">Read it
          <select value={how.model} onChange={(e) => setHow({ ...how, model: e.currentTarget.value })}>
            <option value="">by itself</option>
            {own.map((m) => <option key={m.id} value={m.id}>as the data of the model “{apart(own, m)}” were</option>)}
          </select>
        </label>
      )}
      {text && (
        <label class="field">Each line is
          <select value={how.line} onChange={(e) => setHow({ ...how, line: e.currentTarget.value as How["line"] })}>
            <option value="row">a row of columns</option>
            <option value="items">{controls.items}</option>
            <option value="pair">{controls.pairs}</option>
          </select>
          {how.line === "pair" && columns.length > 0 && how.pair.map((p, i) => (
            <select key={i} aria-label={i === 0 ? "Column of rows" : "Column of items"} value={p || columns[i]} onChange={(e) => setHow({ ...how, pair: i === 0 ? [e.currentTarget.value, how.pair[1]] : [how.pair[0], e.currentTarget.value] })}>
              {columns.map((c) => <option key={c} value={c}>{c}</option>)}
            </select>
          ))}
        </label>
      )}
      {how.line === "row" && <Numbers how={how} onHow={setHow} table={table} />}
      <div class="row"><button type="submit" disabled={o.busy}>{o.busy ? "Reading…" : "Read again"}</button></div>
    </form>
  );
}

/** How numbers and greys become on and off, and of which size images are. */
function Numbers({ how, onHow: setHow, table }: { how: How; onHow: (how: How) => void; table: boolean }): JSX.Element {
  const { "*": all, ...others } = how.column, now = all === "number" ? "real" : ["", "auto"].includes(how.threshold) ? how.threshold : "at";
  const choose = (to: string) => setHow({ ...how, column: to === "real" ? { ...others, "*": "number" } : others, threshold: to === "auto" ? "auto" : to !== "at" ? "" : table ? "0" : "128" });
  return (
    <>
      <label class="field">{controls.threshold}
        <select value={now} onChange={(e) => choose(e.currentTarget.value)}>
          <option value="">as they are</option>
          <option value="auto">{controls.auto}</option>
          <option value="at">{controls.at}</option>
          <option value="real">{controls.real}</option>
        </select>
        {now === "at" && (
          <input type="number" step="any" aria-label={table ? "On is what is greater than" : "Ink is what is darker than, of 255"} value={how.threshold} onInput={(e) => setHow({ ...how, threshold: e.currentTarget.value || "0" })} />
        )}
      </label>
      <label class="field">{table ? controls.rows : controls.size}
        <input type="text" value={how.size} placeholder={table ? "height x width" : "such as 56x56"} onInput={(e) => setHow({ ...how, size: e.currentTarget.value.replaceAll(/\s|×/g, (c) => (c === "×" ? "x" : "")) })} />
      </label>
      <label class="inline"><input type="checkbox" checked={how.invert} onChange={(e) => setHow({ ...how, invert: e.currentTarget.checked })} /> {controls.invert}{!table && ": light strokes on a dark ground"}</label>
    </>
  );
}
