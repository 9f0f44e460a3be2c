import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { go } from "./address.ts";
import { download, type Job } from "./api.ts";
import { partColour, useParts } from "./experts.tsx";
import { count, plural } from "./format.ts";
import * as learning from "./learning.ts";
import { probability } from "./paint.ts";
import { Chart } from "./chart.tsx";
import { opened } from "./opened.ts";
import { Badge, Pixels } from "./pixels.tsx";
import { Fixes } from "./reading.tsx";
import { Strengths } from "./strengths.tsx";
import { api, data, modelFile, models, ofNumbers, useCell, viewOf } from "./store.ts";
import { usePaper } from "./theme.ts";
import { useAttempt } from "./uselatest.ts";

const states: Record<Job["state"], string> = {
  queued: "waiting", running: "learning", done: "done", stopped: "stopped; the best so far is kept", failed: "failed", cancelled: "cancelled",
};

/** The current run: templates and score while it learns, then the result. */
export function Run(): JSX.Element | null {
  const job = useCell(learning.job), live = useCell(learning.live), wrong = useCell(learning.wrong), fix = useCell(learning.fix), o = useCell(opened), box = useRef<HTMLElement>(null), title = useRef<HTMLHeadingElement>(null);
  const set = useCell(data).find((d) => d.id === job?.data), numbers = set !== undefined && ofNumbers(set);
  const over = job !== null && learning.ended(job.state), there = live !== null, seen = useRef(job && `${job.id} ${over} ${there}`);
  // What is learned is brought into view when it begins, and again, with the focus, when it is there.
  useEffect(() => {
    const now = job && `${job.id} ${over} ${there}`;
    if (!now || seen.current === now) return;
    seen.current = now;
    box.current?.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    if (over && !document.activeElement?.matches("input, textarea, select, canvas")) title.current?.focus({ preventScroll: true });
  }, [job?.id, over, there]);
  return (
    <>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      {wrong && o && <Fixes flags={fix} opened={o} />}
      {job && (
        <section class="card run" aria-label="Learning" ref={box}>
          <div class="row">
            <h2 ref={title} tabIndex={-1}>{over && job.model ? "Learned: " : ""}{job.name}</h2>
            <span>{states[job.state]}</span>
            {!over && <button type="button" onClick={() => void learning.stop()}>Stop and keep the best</button>}
          </div>
          <p class="hidden" role="status">{over ? `Learning ${states[job.state]}` : "Learning"}</p>
          {live && <Watch live={live} kept={job.model} numbers={numbers} />}
          {job.model && <Result job={job} model={job.model} />}
        </section>
      )}
    </>
  );
}

function Watch({ live, kept, numbers }: { live: learning.Live; kept: string | null; numbers: boolean }): JSX.Element {
  const paper = usePaper(), table = live.height === 1, model = useCell(models).find((m) => m.id === kept) ?? null, { parts } = useParts(model), experts = parts?.experts;
  const templates = experts?.map((e) => e.template) ?? live.templates;
  const latest = probability(paper, live.both, model?.q ?? 0.5), colour = parts ? partColour(parts, paper) : (t: Float32Array) => (i: number) => latest(t[i]);
  return (
    <div class="watch">
      <div>
        {!kept && live.trials > 0 && <progress max={live.trials} value={live.trial} aria-label="Starts tried" />}
        {!kept && <p>{numbers ? `start ${live.trial} of ${live.trials}, ${plural(live.iteration, "part")} so far` : stage(live)}</p>}
        <Chart scores={live.scores} unit={live.unit} />
        {experts && <p class="fine">These are the parts of the model that was kept.</p>}
      </div>
      <ul class={table ? "rowtemplates" : "strip wide"} aria-label={experts ? "Parts of the model that was kept" : "Parts of the latest model"}>
        {experts && table && model ? experts.map((e) => <li key={e.index} class="learnedpart"><Badge expert={e.index} /><Strengths expert={e} most={4} onAll={() => go({ view: "experts", model: model.id, part: e.index })} /></li>) : templates.map((t, k) => (
          <li key={k}>
            <figure>
              <Pixels height={model?.frame[0] ?? live.height} width={model?.frame[1] ?? live.width} label={`Template of part ${k + 1}`} colour={colour(t)} across={140} />
              <figcaption><Badge expert={k} />{model?.parts?.[k]?.name && ` ${model.parts?.[k]?.name}`}</figcaption>
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
  if (l.stage === "start") return `start ${l.trial} of ${l.trials}, ${plural(l.iteration, "sweep")} over the examples`;
  return `${l.stage}: ${plural(l.trial, "model")} tried`;
}

/** Says that there are fewer parts than the command asked for, and why; nothing otherwise. */
export function fewer(experts: number, command: string | null | undefined, table: boolean): string {
  const asked = Number(/ --experts (\d+)(?![.\d])/.exec(command ?? "")?.[1] ?? 0);
  if (asked <= experts) return "";
  return ` ${asked} were asked for: ${table ? "the others explain less than their votes cost, or make the description of the table longer" : "there was nothing to make the others of"}.`;
}

/** The result: use it, download it, or repeat it. */
function Result({ job, model }: { job: Job; model: string }): JSX.Element {
  const all = useCell(models), m = all.find((x) => x.id === model), { wrong, attempt } = useAttempt();
  const save = (file: Promise<Blob>, name: string) => void attempt(async () => download(await file, name));
  const use = (view: "draw" | "rows" | "sample" | "experts") => go({ view, model, ...(view !== "sample" && view !== "draw" && job.data ? { data: job.data } : {}) });
  return (
    <div class="result">
      <p>{m && `${count(m.experts, "part")}, learned from ${plural(job.images, m.table ? "row" : "image")}.`}{m && fewer(m.experts, job.command, m.table)}</p>
      <div class="row">
        <button type="button" class="main" onClick={() => use("experts")}>See all {m?.table ? "rows" : "images"} by them</button>
        <button type="button" onClick={() => use(m ? viewOf(m) : "draw")}>{!m || viewOf(m) === "draw" ? "Draw with it" : `Explain one ${m.table ? "row" : "image"}`}</button>
        {m && m.components.length > 0 && <button type="button" onClick={() => use("sample")}>Sample from it</button>}
        <button type="button" onClick={() => save(modelFile(model), "model.npz")}>Download the model</button>
        <button type="button" onClick={() => save(api.file("GET /v1/models/{id}/gallery.png", { path: { id: model } }), "experts.png")}>Picture, PNG</button>
        <button type="button" onClick={() => save(api.file("GET /v1/data/{id}/file", { path: { id: job.data } }), "data.npz")}>The examples, npz</button>
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
