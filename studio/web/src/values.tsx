import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { dataID, go, row as chosenRow } from "./address.ts";
import { download, words, type Data, type Job, type Model } from "./api.ts";
import { floatsOf } from "./decode.ts";
import { plural } from "./format.ts";
import { inventedWells, scaleOf, type Ground, type Said, type Scale } from "./greys.ts";
import * as learning from "./learning.ts";
import { apart, fileOf } from "./names.ts";
import { take } from "./opened.ts";
import { OpenFiles } from "./reading.tsx";
import { api, arrivals, fitsReal, home, modelFile, realData, realID, realModels, server, useCell } from "./store.ts";
import { RowPicker } from "./tables.tsx";
import { RealParts, RealSamples } from "./valueparts.tsx";
import { RealRow } from "./valuerow.tsx";

/** A model of real values with what it and its parts say. */
export interface RealModel {
  model: Model;
  ground: Ground;
  parts: (Said & { index: number; words: string; usage: number | null })[];
  scale: Scale;
}

/** The parts of a model of real values: null until they are loaded. */
function useRealModel(model: Model | null): { loaded: RealModel | null; wrong: string } {
  const [state, setState] = useState<{ loaded: RealModel | null; wrong: string }>({ loaded: null, wrong: "" }), arrival = useCell(arrivals);
  useEffect(() => {
    if (!model) return;
    let current = true;
    api.call("GET /v1/models/{id}/experts", { path: { id: model.id } }).then((a) => {
      if (!current || !a.background) return;
      const ground = { mean: floatsOf(a.background.mean), deviation: floatsOf(a.background.deviation) };
      const parts = a.experts.map((e) => ({ index: e.index, words: e.words, usage: e.usage, mean: floatsOf(e.template), deviation: floatsOf(e.deviation ?? "") }));
      setState({ loaded: { model, ground, parts, scale: scaleOf(ground, parts) }, wrong: "" });
    }, (e: unknown) => current && setState({ loaded: null, wrong: words(e) }));
    return () => { current = false; };
  }, [model?.id, arrival]);
  return model && state.loaded?.model.id === model.id ? { loaded: { ...state.loaded, model }, wrong: "" } : { loaded: null, wrong: model ? state.wrong : "" };
}

/** The Values view: measurements and grey images as they are; their parts, rows explained, what is unknown predicted. */
export function Values(): JSX.Element {
  const sets = useCell(realData), models = useCell(realModels), id = useCell(dataID), wanted = useCell(realID), asked = models.find((m) => m.id === wanted) ?? null, s = useCell(server);
  const set = sets.find((d) => d.id === id) ?? sets.find((d) => asked && fitsReal(asked, d)) ?? (asked ? null : sets[0]) ?? null;
  const fitting = set ? models.filter((m) => fitsReal(m, set)) : models, model = fitting.find((m) => m.id === asked?.id) ?? fitting[fitting.length - 1] ?? null;
  useEffect(() => { if (model && model.id !== asked?.id) go({ model: model.id }); }, [model?.id]);
  const { loaded, wrong } = useRealModel(model);
  return (
    <div class="view values">
      <p class="intro">
        Measurements and grey images <b>as they are</b>: nothing is scaled or made black and white. A part says of some {set && !set.table ? "pixels" : "columns"} what their value is, and how sure it is; the others have no vote.{" "}
        <b>Change a value, or make it unknown, and watch.</b>
      </p>
      <section class="card given" aria-label="Data and model">
        <div class="row">
          {sets.length > 0 && (
            <label class="inline">Data
              <select aria-label="Data set" value={set?.id ?? ""} onChange={(e) => go({ data: e.currentTarget.value, row: 0 })}>
                {!set && <option value="" disabled>none that fits the model</option>}
                {sets.map((d) => <option key={d.id} value={d.id}>{apart(sets, d)} ({plural(d.n, d.table ? "row" : "image")})</option>)}
              </select>
            </label>
          )}
          {s?.upload !== false && <OpenFiles fine={home.here ? "a table of numbers (.csv), an array (.npy, .npz), grey pictures of one size" : "a table of numbers (.csv, .parquet), an array (.npy, .npz), grey pictures of one size"} />}
          {s?.upload !== false && sets.length === 0 && <button type="button" onClick={() => void take([invented()])}>An invented example</button>}
        </div>
        {set && <LearnReal key={set.id} set={set} known={model !== null} />}
      </section>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      {!set && !model && <p class="intro">{s?.upload === false ? "No real values are loaded on this server." : "Nothing is loaded yet: open a file of measurements or grey pictures, or look at the invented example."}</p>}
      {set && !model && <p class="intro" role="status">“{set.name}” has no parts yet: learn them above.</p>}
      {loaded && set && <RowOf key={`${loaded.model.id} ${set.id}`} real={loaded} set={set} />}
      {loaded && <RealParts real={loaded} />}
      {loaded && <RealSamples key={loaded.model.id} real={loaded} />}
    </div>
  );
}

function invented(): { file: File; path: string } {
  return { file: new File([inventedWells()], "wells.csv", { type: "text/csv" }), path: "wells.csv" };
}

/** Chooses a row and explains it. */
function RowOf({ real, set }: { real: RealModel; set: Data }): JSX.Element {
  const at = useCell(chosenRow), index = Math.min(at ?? 0, set.n - 1), [row, setRow] = useState<{ name: string; values: (number | null)[] } | null>(null), [wrong, setWrong] = useState("");
  useEffect(() => {
    let current = true;
    api.images(set.id, index, 1, real.model.id).then(({ images: [x] }) => {
      if (!current || !x) return;
      setRow({ name: x.name, values: x.values ?? [] });
      setWrong("");
    }, (e: unknown) => current && setWrong(words(e)));
    return () => { current = false; };
  }, [set.id, index]);
  const picker = <RowPicker sets={[set]} set={set} index={index} />;
  if (wrong) return <p class="error" role="alert">{wrong}</p>;
  return row ? <RealRow key={real.model.id} real={real} row={row} picker={picker} /> : <p class="intro">Loading…</p>;
}

/** Learns parts of real values, and says how far it is. */
function LearnReal({ set, known }: { set: Data; known: boolean }): JSX.Element | null {
  const job = useCell(learning.job), live = useCell(learning.live), wrong = useCell(learning.wrong), s = useCell(server);
  const [experts, setExperts] = useState(0), [shift, setShift] = useState(0), [aim, setAim] = useState<"interpret" | "predict">("interpret"), [seed, setSeed] = useState(0);
  const mine = job?.data === set.id ? job : null, busy = job !== null && !learning.ended(job.state);
  useEffect(() => {
    if (mine?.model && realModels.value.some((m) => m.id === mine.model)) go({ model: mine.model });
  }, [mine?.state, mine?.model]);
  if (s && !s.learn) return known ? null : <p class="fine">Learning is switched off on this server: open a model of <code>patchwork learn</code>.</p>;
  const begin = () => void learning.start({ data: set.id, name: set.name, seed, ...(experts ? { experts } : {}), ...(aim === "predict" ? { aim } : {}), ...(shift ? { shift } : {}) });
  return (
    <div class="learnreal">
      <div class="row">
        <button type="button" class={known ? "" : "main"} disabled={busy} onClick={begin}>{busy ? "Learning…" : known ? "Learn the parts again" : "Learn parts of these values"}</button>
        {mine && !learning.ended(mine.state) && <button type="button" onClick={() => void learning.stop()}>Stop</button>}
        <span role="status" class="fine">{mine && said(mine, live)}</span>
      </div>
      <details>
        <summary>Settings</summary>
        <label class="field">Parts, at most <input type="number" min="0" max="200" value={experts || ""} placeholder="found out" onInput={(e) => setExperts(Math.max(0, e.currentTarget.valueAsNumber || 0))} /></label>
        {!set.table && <label class="field">Shift by up to, pixels <input type="number" min="0" max="32" value={shift || ""} placeholder="not at all" onInput={(e) => setShift(Math.max(0, e.currentTarget.valueAsNumber || 0))} /></label>}
        <label class="field">Goal
          <select value={aim} onChange={(e) => setAim(e.currentTarget.value as "interpret" | "predict")}>
            <option value="interpret">easy to read: few votes</option>
            <option value="predict">good predictions of what is unknown</option>
          </select>
        </label>
        <label class="field">Seed <input type="number" min="0" value={seed} onInput={(e) => setSeed(Math.max(0, e.currentTarget.valueAsNumber || 0))} /></label>
      </details>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      {mine?.model && <Kept job={mine} model={mine.model} />}
    </div>
  );
}

/** Where learning is, in words. */
function said(job: Job, live: learning.Live | null): string {
  if (job.state === "queued") return "waiting";
  if (job.state !== "running") return job.state === "done" ? "learned" : job.state;
  return live ? `start ${live.trial} of ${live.trials}, ${plural(live.iteration, "part")} so far` : "beginning";
}

/** What was learned, as a file and as a command line. */
function Kept({ job, model }: { job: Job; model: string }): JSX.Element {
  const [wrong, setWrong] = useState(""), save = useMemo(() => async () => {
    try {
      download(await modelFile(model), fileOf(job.name));
    } catch (e) {
      setWrong(words(e));
    }
  }, [model]);
  return (
    <p class="fine row">
      <button type="button" onClick={() => void save()}>Download the model</button>
      {job.command && <code class="line" tabIndex={0}>{job.command}</code>}
      {wrong && <span class="error" role="alert">{wrong}</span>}
    </p>
  );
}
