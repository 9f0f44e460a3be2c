import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { dataID, go } from "./address.ts";
import { votesBothWays, type Answer, type Data, type Explained, type Labelled, type Model } from "./api.ts";
import { Bits } from "./bits.ts";
import { SetPicker, Steps } from "./choosers.tsx";
import { decode, layerAt } from "./drawing.ts";
import { Grey, type Parts } from "./experts.tsx";
import { digits, percent, plural } from "./format.ts";
import { called } from "./names.ts";
import { outline, overlay, strong } from "./paint.ts";
import { Badge, Pixels } from "./pixels.tsx";
import { api, arrivals, Cell, data, fitting, useCell, viewOf } from "./store.ts";
import { usePaper } from "./theme.ts";
import { useAttempt, useLatest } from "./uselatest.ts";

/** What a model says of all rows of a data set. */
export type All = Answer<"GET /v1/models/{id}/overview">;
type One = All["rows"][number];

/** The part whose rows are shown: its number, "none" for rows without a part, "" for all rows. */
const only = new Cell("");

const asked = new Map<string, Promise<All>>();

/** The overview of a model and a data set, asked once however many components show it. */
async function overviewOf(key: string): Promise<{ key: string; all: All | null }> {
  const [id, set] = key.split(" "), answer = asked.get(key) ?? (key ? api.call("GET /v1/models/{id}/overview", { path: { id }, query: { data: set } }) : null);
  if (answer) asked.set(key, answer);
  answer?.catch(() => asked.delete(key)); // it may succeed later
  return { key, all: await answer };
}

/** All rows of a data set by the parts of a model: null until they are there. */
export function useOverview(model: Model, set: Data | undefined): { all: All | null; wrong: string } {
  const arrival = useCell(arrivals), key = set ? `${model.id} ${set.id} ${arrival}` : "", { answer, wrong } = useLatest(overviewOf, key);
  return { all: answer?.key === key ? answer.all : null, wrong };
}

/** The data set that is shown with a model: the one in the address, or else people's own. */
export function useShownSet(model: Model): { sets: Data[]; set: Data | undefined } {
  const sets = fitting(model, useCell(data)), id = useCell(dataID);
  return { sets, set: sets.find((d) => d.id === id) ?? sets.findLast((d) => /^d\d+$/.test(d.id)) ?? sets[0] };
}

const sum = (r: One) => r.gains.reduce<number>((a, g) => a + (g ?? 0), 0);

/** The row that shows most: the one of which the parts say most. */
export const telling = (all: All): number => all.rows.toSorted((a, b) => sum(b) - sum(a))[0]?.index ?? 0;

type Order = "file" | "parts" | "odd";
const orders: Record<Order, (a: One, b: One) => number> = {
  file: (a, b) => a.index - b.index,
  parts: (a, b) => first(a) - first(b) || b.parts.length - a.parts.length || sum(b) - sum(a),
  odd: (a, b) => (b.loss ?? Infinity) - (a.loss ?? Infinity),
};
const first = (r: One) => Math.min(1e9, ...r.parts);

/** How many rows, or images, are shown at a time. */
const most = { rows: 50, images: 24 };

/** All rows of a data set: which parts each has, which come together, and what is left over. */
export function Overview({ parts }: { parts: Parts }): JSX.Element {
  const { model } = parts, { sets, set } = useShownSet(model), { all, wrong } = useOverview(model, set);
  if (!set) return <p class="fine">Open the data that you want to see by these parts.</p>;
  return (
    <section class="card overview" aria-label="All rows">
      <div class="row">
        <h2>All {set.table ? "rows" : "images"}</h2>
        <SetPicker sets={sets} set={set} onChoose={(id) => go({ data: id })} />
        <MakeReport model={model} set={set} />
      </div>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      {!all && !wrong && <p class="fine" role="status">Explaining {plural(set.n, set.table ? "row" : "image")}…</p>}
      {all && <p>{all.summary[0]}</p>}
      {all && <RowMap key={`${model.id} ${set.id}`} parts={parts} set={set} all={all} />}
      {all && <Together model={model} pairs={all.pairs} noun={set.table ? "rows" : "images"} />}
      {all && <LeftOver columns={all.columns} />}
    </section>
  );
}

/** The rows with their parts, sorted, filtered and searched. */
function RowMap({ parts, set, all }: { parts: Parts; set: Data; all: All }): JSX.Element {
  const { model } = parts, part = useCell(only), [order, setOrder] = useState<Order>("parts"), [from, setFrom] = useState(0);
  const [search, setSearch] = useState(""), noun = set.table ? "row" : "image", text = search.trim().toLowerCase();
  const has = (r: One) => part === "" || (part === "none" ? r.parts.length === 0 : r.parts.includes(Number(part)));
  const rows = all.rows.filter((r) => has(r) && r.name.toLowerCase().includes(text)).sort(orders[order]);
  const n = set.table ? most.rows : most.images, at = Math.min(from, Math.max(0, Math.ceil(rows.length / n) - 1) * n);
  useEffect(() => setFrom(0), [part, order, text]);
  useEffect(() => () => only.set(""), [model.id]);
  return (
    <>
      <div class="row">
        <label class="inline">Order
          <select value={order} onChange={(e) => setOrder(e.currentTarget.value as Order)}>
            <option value="parts">by their parts</option><option value="odd">the oddest first</option>
            <option value="file">as in the data</option>
          </select>
        </label>
        <label class="inline">Only
          <select value={part} onChange={(e) => only.set(e.currentTarget.value)}>
            <option value="">all</option>
            {parts.experts.map((e) => <option key={e.index} value={e.index}>with {called(model, e.index)}</option>)}
            <option value="none">without a part</option>
          </select>
        </label>
        <input type="search" class="find" aria-label={`Search the ${noun}s by name`} placeholder="Search by name" value={search}
          onInput={(e) => setSearch(e.currentTarget.value)} />
        <span class="fine" role="status">{plural(rows.length, noun)}{rows.length > n && `, ${at + 1} to ${Math.min(at + n, rows.length)}`}</span>
        {rows.length > n && <Steps names={[`Earlier ${noun}s`, `Later ${noun}s`]} first={at === 0} last={at + n >= rows.length} onStep={(by) => setFrom(at + by * n)} />}
      </div>
      <Those parts={parts} set={set} rows={rows.slice(at, at + n)} />
    </>
  );
}

/** Some rows, or images in the colours of their parts; each leads to its own view. */
function Those({ parts, set, rows }: { parts: Parts; set: Data; rows: One[] }): JSX.Element {
  if (!set.table) return <Wall parts={parts} set={set} rows={rows} />;
  const { model } = parts;
  return (
    <div class="scrolled" role="region" aria-label="Rows and their parts" tabIndex={0}>
      <table class="rowmap">
        <thead><tr>
          <th scope="col">row</th>
          {parts.experts.map((e) => <th key={e.index} scope="col"><Badge expert={e.index} label={called(model, e.index)} /></th>)}
          <th scope="col" class="odd">unlike the others</th>
        </tr></thead>
        <tbody>
          {rows.map((r) => (
            <tr key={r.index}>
              <th scope="row"><a href={address(model, set, r)}>{r.name}</a></th>
              {parts.experts.map((e) => (
                <td key={e.index}>{r.parts.includes(e.index) && <Badge expert={e.index} label={`has part ${e.index + 1}`} />}</td>
              ))}
              <td class="odd">{r.odd}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const address = (model: Model, set: Data, r: One) => `#/${viewOf(model)}?model=${model.id}&data=${set.id}&row=${r.index + 1}`;

/** Images of a data set, those of bits explained. */
async function wallOf(model: Model, set: Data, index: number[]): Promise<{ image: Labelled; found: Explained | null }[]> {
  if (index.length === 0) return [];
  const { images } = await api.call("GET /v1/data/{id}/images", { path: { id: set.id }, query: { index } });
  const bits = images.map(({ height, width, bits: b }) => ({ height, width, bits: b })), ask = { model: model.id, images: bits, detail: true };
  const found = images[0]?.bits ? (await api.call("POST /v1/explain", { body: ask })).rows as Explained[] : [];
  return images.map((image, i) => ({ image, found: found[i] ?? null }));
}

/** Images in the colours of their parts. */
function Wall({ parts, set, rows }: { parts: Parts; set: Data; rows: One[] }): JSX.Element {
  const { model } = parts;
  const { answer, wrong } = useLatest((index: number[]) => wallOf(model, set, index), rows.map((r) => r.index));
  return (
    <>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      <ul class="strip wide wall">
        {answer?.map(({ image, found }) => {
          const r = rows.find((x) => x.index === image.index);
          if (!r) return null;
          return (
            <li key={r.index}>
              <a class="tile" href={address(model, set, r)} aria-label={`${r.name}: ${r.parts.map((k) => called(model, k)).join(", ") || "no part"}`}>
                {found ? <Coloured image={image} found={found} model={model} />
                  : <Grey values={image.values ?? []} parts={parts} label="" across={140} />}
              </a>
              {!found && r.parts.map((k) => <Badge key={k} expert={k} />)}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** An image with its ink in the colours of the parts that explain it. */
function Coloured({ image, found, model }: { image: Labelled; found: Explained; model: Model }): JSX.Element {
  const paper = usePaper(), { height, width } = image, bits = Bits.parse(image), both = votesBothWays(model);
  const shown = decode(bits, model.id, found), colour = overlay(paper, bits, layerAt(shown, shown.picks.length));
  const regions = shown.picks.map((p, j) => ({
    expert: p.part, inside: (i: number) => strong(shown.steps[j].votes[i], shown.start[i], both),
  }));
  return (
    <Pixels height={height} width={width} label="" colour={colour} across={140}
      more={both ? (canvas) => outline(canvas, height, width, regions, paper, false) : undefined} />
  );
}

/** The rows that a part explains best, and a way to all that have it. */
export function Having({ parts, part, onAll }: { parts: Parts; part: number; onAll: () => void }): JSX.Element | null {
  const { model } = parts, { set } = useShownSet(model), { all } = useOverview(model, set);
  if (!set || !all) return null;
  const gain = (r: One) => r.gains.reduce<number>((a, g, i) => (r.parts[i] === part ? a + (g ?? 0) : a), 0);
  const rows = all.rows.filter((r) => r.parts.includes(part)).sort((a, b) => gain(b) - gain(a)), noun = set.table ? "row" : "image";
  const show = () => {
    onAll();
    go({ view: "experts", data: set.id });
    only.set(String(part));
  };
  return (
    <section aria-label={`What ${called(model, part)} explains`}>
      <h2>Explains best, in {set.name}</h2>
      {set.table ? <p>{rows.slice(0, 6).map((r, i) => <>{i > 0 && ", "}<a key={r.index} href={address(model, set, r)}>{r.name}</a></>)}</p>
        : <Wall parts={parts} set={set} rows={rows.slice(0, 6)} />}
      {rows.length > 0 && <p><button type="button" onClick={show}>Show all {plural(rows.length, noun)} that have it</button></p>}
    </section>
  );
}

/** Which parts come together more often than by chance, or less often. */
function Together({ model, pairs, noun }: { model: Model; pairs: All["pairs"]; noun: string }): JSX.Element | null {
  const far = (p: All["pairs"][number]) => Math.abs(Math.log(Math.max(p.lift ?? 1, 0.01)));
  const shown = pairs.filter((p) => far(p) > Math.log(1.25)).sort((a, b) => far(b) - far(a)).slice(0, 6);
  if (shown.length === 0) return null;
  return (
    <>
      <h3>Which come together</h3>
      <ul>
        {shown.map((p) => (
          <li key={`${p.a} ${p.b}`}>
            <Badge expert={p.a} /> <Badge expert={p.b} /> {called(model, p.a)} and {called(model, p.b)}: {p.rows} {noun},{" "}
            {p.rows === 0 ? "never both" : `${digits(p.lift ?? 1)} times as many as by chance`}
          </li>
        ))}
      </ul>
    </>
  );
}

/** What the parts leave unexplained of each column, the most first. */
function LeftOver({ columns }: { columns: All["columns"] }): JSX.Element | null {
  const [whole, setWhole] = useState(false), sorted = columns.toSorted((a, b) => b.left - a.left), few = 8;
  if (columns.length === 0) return null;
  return (
    <>
      <h3>What is left over, by column</h3>
      <ul class="odds leftover">
        {sorted.slice(0, whole ? undefined : few).map((c) => (
          <li key={c.name}>
            <span class="who">{c.name}</span><span class="bar"><span style={{ width: `${100 * Math.min(1, c.left)}%` }} /></span>
            <span class="gain">{percent(Math.min(1, c.left))}</span>
          </li>
        ))}
      </ul>
      {columns.length > few && (
        <button type="button" class="more" aria-expanded={whole} onClick={() => setWhole(!whole)}>{whole ? "Fewer" : `All ${columns.length} columns`}</button>
      )}
    </>
  );
}

/** Makes a report and opens it. */
function MakeReport({ model, set }: { model: Model; set: Data }): JSX.Element {
  const [busy, setBusy] = useState(false), { wrong, attempt } = useAttempt(), [href, setHref] = useState("");
  useEffect(() => () => URL.revokeObjectURL(href), [href]);
  useEffect(() => setHref(""), [model.id, set.id]);
  const make = async () => {
    setBusy(true);
    await attempt(async () => setHref(URL.createObjectURL(
      await api.file("GET /v1/models/{id}/report", { path: { id: model.id }, query: { data: set.id } }),
    )));
    setBusy(false);
  };
  return (
    <>
      {!href && <button type="button" disabled={busy} onClick={() => void make()}>{busy ? "Making the report…" : "Make a report"}</button>}
      {href && <a role="button" class="button" href={href} download={`${set.name.replace(/\.\w+$/, "")}-report.html`}>Save the report</a>}
      {wrong && <span class="error" role="alert">{wrong}</span>}
    </>
  );
}
