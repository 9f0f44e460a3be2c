import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { dataID, go, view } from "./address.ts";
import type { Column, Data, Labelled } from "./api.ts";
import { Bits } from "./bits.ts";
import { exampleName } from "./examples.tsx";
import { digits, percent, plural } from "./format.ts";
import { apart, column, list } from "./names.ts";
import { controls, kinds, plain } from "./plain.ts";
import { chosen, fixed, opened, readAgain, readers, refused, take, type How, type Opened } from "./opened.ts";
import { bitColour, greyOf } from "./paint.ts";
import { Pixels } from "./pixels.tsx";
import { api, fitting, models, ofNumbers, server, useCell, useModel } from "./store.ts";
import { usePaper } from "./theme.ts";

/** Buttons that open files, or a folder of pictures. */
export function OpenFiles({ fine, short }: { fine?: string; short?: boolean }): JSX.Element | null {
  const files = useRef<HTMLInputElement>(null), folder = useRef<HTMLInputElement>(null), s = useCell(server);
  if (s?.upload === false) return null;
  const took = (input: HTMLInputElement) => {
    const all = chosen(input.files);
    input.value = ""; // the same file may be chosen again
    void take(all);
  };
  return (
    <div class="row">
      <button type="button" title="Open a model, a table, or pictures" onClick={() => files.current?.click()}>{short ? "Open…" : "Open files…"}</button>
      <input type="file" ref={files} hidden multiple data-test={short ? "any-file" : "file"} aria-label="Files to open" onChange={(e) => took(e.currentTarget)} />
      {!short && <button type="button" onClick={() => folder.current?.click()}>Open a folder…</button>}
      {!short && <input type="file" ref={folder} hidden multiple data-test="folder" aria-label="Folder to open" onChange={(e) => took(e.currentTarget)} {...{ webkitdirectory: true }} />}
      {fine && <span class="fine">{fine}</span>}
    </div>
  );
}

/** What was opened last, at the top of every view: what was read, what went wrong, and how to read it differently. */
export function Reading(): JSX.Element | null {
  const o = useCell(opened), no = useCell(refused), all = useCell(models), box = useRef<HTMLElement>(null);
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
  if (!o) return null;
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
      {o.data && <WasRead key={o.data.id} data={o.data} opened={o} />}
      <details class="again" key={o.files[0].path} open={o.wrong !== ""}>
        <summary>{o.data ? "As it was read; read it differently" : "Read it differently"}</summary>
        <Controls opened={o} />
      </details>
    </section>
  );
}

function size(d: Data): string {
  return d.table ? `${plural(d.n, "row")} of ${plural(d.width, "column")}` : `${plural(d.n, "image")} of ${d.height} × ${d.width} pixels`;
}

/** The beginning of what was read: the first images, or the first cells of a table. */
function Preview({ data: d }: { data: Data }): JSX.Element | null {
  const [images, setImages] = useState<Labelled[]>([]), paper = usePaper();
  useEffect(() => {
    let current = true;
    api.images(d.id, 0, d.table ? 3 : 12).then((a) => current && setImages(a.images), () => undefined); // a preview is no promise
    return () => { current = false; };
  }, [d.id]);
  if (images.length === 0) return null;
  if (!d.table) {
    const all = images.flatMap((x) => x.values?.filter((v) => v !== null) ?? []), grey = greyOf(paper, { low: Math.min(...all), high: Math.max(...all) }, d.width);
    return (
      <ul class="strip">
        {images.map((x) => {
          const bits = x.values ? null : Bits.parse(x);
          return <li key={x.index}><Pixels height={x.height} width={x.width} label={exampleName(x)} colour={(i) => (bits ? bitColour(paper, bits, i) : grey(x.values?.[i] ?? null, i))} across={72} /></li>;
        })}
      </ul>
    );
  }
  const cell = (x: Labelled, i: number) => (x.values ? (x.values[i] === null ? "?" : digits(x.values[i])) : x.bits?.[i]);
  const labels = Object.keys(d.labels), most = 6, names = Array.from({ length: Math.min(most, d.width) }, (_, i) => column(d, i));
  return (
    <>
    <p class="fine">The first {plural(images.length, "row")}{d.width > most && `, and the first ${most} of ${d.width} columns`}; scroll sideways if they are cut.</p>
    <div class="preview" role="region" aria-label="The first rows" tabIndex={0}>
      <table>
        <thead><tr>{labels.map((l) => <th key={l} scope="col">{l}</th>)}{names.map((n) => <th key={n} scope="col">{n}</th>)}{d.width > most && <th scope="col">{plural(d.width - most, "more column")}</th>}</tr></thead>
        <tbody>
          {images.map((x) => (
            <tr key={x.index}>{labels.map((l) => <th key={l} scope="row">{x.labels[l]}</th>)}{names.map((n, i) => <td key={n}>{cell(x, i)}</td>)}{d.width > most && <td>…</td>}</tr>
          ))}
        </tbody>
      </table>
    </div>
    </>
  );
}

/** Buttons that read the files again as flags of a command line ask for. */
function Fixes({ flags, opened: o }: { flags: string[]; opened: Opened }): JSX.Element | null {
  const all = flags.map((f) => fixed(f, o.how)).filter((f) => f !== null);
  return all.length > 0 ? <p class="row">{all.map((f) => <button key={f.words} type="button" disabled={o.busy} onClick={() => void readAgain(f.how)}>{f.words}</button>)}</p> : null;
}

/** What each column is. */
function Columns({ columns }: { columns: Column[] }): JSX.Element {
  const facts = (c: Column) => [
    c.yes === undefined ? "" : `${percent(c.yes)} yes`, c.range ? `${digits(c.range.low)} to ${digits(c.range.high)}` : "", c.values ? list(c.values.map((v) => v.value), 3) : "",
    c.missing > 0 ? `${percent(c.missing / c.cells)} unknown` : "",
  ].filter((f) => f !== "").join("; ");
  return (
    <details>
      <summary>What each column is</summary>
      <div class="scrolled" role="region" aria-label="What each column is" tabIndex={0}>
        <table class="measured">
          <thead><tr><th scope="col">column</th><th scope="col">is</th><th scope="col">has</th></tr></thead>
          <tbody>{columns.map((c) => <tr key={c.name}><th scope="row">{c.name}</th><td>{kinds[c.kind]}</td><td>{facts(c)}</td></tr>)}</tbody>
        </table>
      </div>
    </details>
  );
}

/** The facts of a data set, and where to go with it. */
function WasRead({ data: d, opened: o }: { data: Data; opened: Opened }): JSX.Element {
  const labels = Object.keys(d.labels), at = useCell(view), chosenID = useCell(dataID);
  return (
    <>
      <p class="fine">
        {labels.length > 0 && <>Labels, which name the {d.table ? "rows" : "images"} and are not learned from: <b>{labels.join(", ")}</b>. </>}
        {d.table && !d.columns && "This file has no column names: columns are counted from 1. "}
      </p>
      {d.notes.length > 0 && <ul class="fine notes">{d.notes.map((n) => <li key={n.text}>{plain(n.text)}<Fixes flags={n.fix ?? []} opened={o} /></li>)}</ul>}
      {d.table && d.plan && <Columns columns={d.plan} />}
      <Preview data={d} />
      {at === "draw" && !ofNumbers(d) && <Misfit data={d} />}
      {!(at === "learn" && chosenID === d.id) && (
        <div class="row"><button type="button" class="main" onClick={() => go({ view: "learn", data: d.id })}>Learn parts from it</button></div>
      )}
    </>
  );
}

/** Says that images do not fit the chosen model, where the canvas shows another image for that reason. */
function Misfit({ data: d }: { data: Data }): JSX.Element | null {
  const model = useModel(), own = useCell(models).filter((m) => fitting(m, [d]).length > 0);
  if (!model || d.table || fitting(model, [d]).length > 0) return null;
  const one = d.n === 1, it = one ? "it" : "them";
  return (
    <p class="error" role="alert">
      {one ? "This picture does" : "These pictures do"} not fit the model “{model.name}”: {one ? "it has" : "they have"} {d.height} × {d.width} pixels, and the model explains images of {model.height} × {model.width}. The canvas below shows another image.{" "}
      {own.length > 0 ? <>Choose a model of {one ? "its" : "their"} size above, such as “{own[0].name}”, or learn parts from {it}.</> : <>Learn parts from {it}, or choose another model above.</>}
    </p>
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
      {columns.length > 0 && how.line === "row" && (
        <fieldset>
          <legend>What the columns are</legend>
          <div class="labels">
            {columns.map((name) => (
              <label key={name} class="field"><span>{name}</span>
                <select value={how.column[name] ?? o.data?.plan?.find((c) => c.name === name)?.kind} onChange={(e) => setHow({ ...how, column: { ...how.column, [name]: e.currentTarget.value } })}>
                  {Object.entries(kinds).map(([k, v]) => <option key={k} value={k}>{v}</option>)}
                </select>
              </label>
            ))}
          </div>
        </fieldset>
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
