import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { download, words, type Job } from "./api.ts";
import { useExperts } from "./experts.tsx";
import { count } from "./format.ts";
import * as learning from "./learning.ts";
import { probability } from "./paint.ts";
import { css, hue } from "./palette.ts";
import { Badge, Pixels } from "./pixels.tsx";
import { api, modelID, models, useCell } from "./store.ts";
import { usePaper } from "./theme.ts";
import { go } from "./views.ts";

const states: Record<Job["state"], string> = {
  queued: "waiting", running: "learning", done: "done", stopped: "stopped; the best so far is kept", failed: "failed", cancelled: "cancelled",
};

/** The current run: templates and score while it learns, then the result. */
export function Run(): JSX.Element | null {
  const job = useCell(learning.job), live = useCell(learning.live), wrong = useCell(learning.wrong);
  return (
    <>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      {job && (
        <section class="card run" aria-label="Learning">
          <div class="row">
            <h2>{job.name}</h2>
            <span>{states[job.state]}</span>
            {!learning.ended(job.state) && <button type="button" onClick={() => void learning.stop()}>Stop and keep the best</button>}
          </div>
          <p class="hidden" role="status">{learning.ended(job.state) ? `Learning ${states[job.state]}` : "Learning"}</p>
          {live && <Watch live={live} kept={job.model} />}
          {job.model && <Result job={job} model={job.model} />}
        </section>
      )}
    </>
  );
}

function Watch({ live, kept }: { live: learning.Live; kept: string | null }): JSX.Element {
  const paper = usePaper(), table = live.height === 1, model = useCell(models).find((m) => m.id === kept) ?? null, { experts } = useExperts(model);
  const templates = experts?.map((e) => e.template) ?? live.templates;
  const colour = probability(paper, live.both, model?.q ?? 0.5);
  return (
    <div class="watch">
      <div>
        {!kept && live.trials > 0 && <progress max={live.trials} value={live.trial} aria-label="Starts tried" />}
        {!kept && <p>{stage(live)}</p>}
        <Chart scores={live.scores} />
        {experts && <p class="fine">These are the parts of the model that was kept.</p>}
      </div>
      <ul class={table ? "rowtemplates" : "strip wide"} aria-label={experts ? "Parts of the model that was kept" : "Parts of the latest model"}>
        {templates.map((t, k) => (
          <li key={k}>
            <figure>
              <Pixels height={live.height} width={live.width} label={`Template of part ${k}`} colour={(i) => colour(t[i])} across={140} />
              <figcaption><Badge expert={k} /></figcaption>
            </figure>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The stage of learning in words. */
function stage(l: learning.Live): string {
  if (l.stage === "online") return `first start, image by image: ${l.iteration}`;
  if (l.stage === "start") return `start ${l.trial} of ${l.trials}, ${l.iteration} sweeps over the examples`;
  return `${l.stage}: ${l.trial} models tried`;
}

/** The score over time. */
function Chart({ scores }: { scores: learning.Live["scores"] }): JSX.Element | null {
  if (scores.length < 2) return null;
  // The first scores may be far below all others; what matters is the upper nine tenths.
  const sorted = scores.map((s) => s.score).sort((a, b) => a - b), low = sorted[Math.floor(sorted.length / 10)], high = sorted[sorted.length - 1];
  const x = (i: number) => 6 + (288 * i) / (scores.length - 1), y = (v: number) => 104 - (96 * Math.max(0, v - low)) / (high - low || 1);
  const text = (v: number) => v.toFixed(4).replace("-", "−"), now = scores[scores.length - 1].score;
  return (
    <figure>
      <svg class="chart" viewBox="0 0 300 112" role="img" aria-label={`Scores of the models tried: last ${text(now)}, best ${text(high)} nats`}>
        <line x1="6" x2="294" y1={y(high)} y2={y(high)} class="bestline" />
        <polyline points={scores.map((s, i) => `${x(i).toFixed(1)},${y(s.score).toFixed(1)}`).join(" ")} fill="none" stroke={css(hue(2))} stroke-width="2" stroke-linejoin="round" />
        {scores.map((s, i) => <circle key={i} cx={x(i)} cy={y(s.score)} r="3.5" fill={css(hue(2))} />)}
      </svg>
      <figcaption>Scores of the models tried, in nats and in order; larger is better. Last {text(now)}, best {text(high)}.</figcaption>
    </figure>
  );
}

/** The result: use it, download it, or repeat it. */
function Result({ job, model }: { job: Job; model: string }): JSX.Element {
  const all = useCell(models), m = all.find((x) => x.id === model), [wrong, setWrong] = useState("");
  const save = async (file: Promise<Blob>, name: string) => {
    try {
      download(await file, name);
      setWrong("");
    } catch (error) {
      setWrong(words(error));
    }
  };
  const use = (view: "draw" | "tables" | "sample") => { modelID.set(model); go(view); };
  return (
    <div class="result">
      <p>{m && `${count(m.experts, "part")}, learned from ${job.images} ${m.table ? "rows" : "images"}.`}</p>
      <div class="row">
        <button type="button" class="main" onClick={() => use(m?.table ? "tables" : "draw")}>{m?.table ? "Explain rows with it" : "Draw with it"}</button>
        {m?.geometry && <button type="button" onClick={() => use("sample")}>Sample from it</button>}
        <button type="button" onClick={() => void save(api.file("GET /v1/models/{id}/file", { path: { id: model } }), "model.npz")}>Download the model</button>
        <button type="button" onClick={() => void save(api.file("GET /v1/models/{id}/gallery.png", { path: { id: model } }), "experts.png")}>Picture, PNG</button>
        <button type="button" onClick={() => void save(api.file("GET /v1/models/{id}/gallery.svg", { path: { id: model } }), "experts.svg")}>Picture, SVG</button>
        <button type="button" onClick={() => void save(api.file("GET /v1/learn/{id}/data.npz", { path: { id: job.id } }), "data.npz")}>The examples, npz</button>
      </div>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      {job.command && <Command line={job.command} />}
    </div>
  );
}

/** The command line that learns the same model. */
function Command({ line }: { line: string }): JSX.Element {
  const [said, setSaid] = useState("Copy");
  const copy = () => navigator.clipboard.writeText(line).then(() => setSaid("Copied"), () => setSaid("Select and copy"));
  return (
    <div>
      <p>This command line learns the same model, byte for byte:</p>
      <div class="command">
        <code tabIndex={0}>{line}</code>
        <button type="button" onClick={() => void copy()}>{said}</button>
      </div>
    </div>
  );
}
