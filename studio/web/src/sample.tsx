import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { votesBothWays, type Component, type Model, type Sample as Drawn } from "./api.ts";
import { Bits } from "./bits.ts";
import { floatsOf } from "./decode.ts";
import { speakersOf } from "./drawing.ts";
import { Grey, useParts, type Parts } from "./experts.tsx";
import { digits, poseShort, poseWords } from "./format.ts";
import { called, column } from "./names.ts";
import { bitColour, probability, voices } from "./paint.ts";
import { Badge, Pixels } from "./pixels.tsx";
import { api, ofNumbers } from "./store.ts";
import { usePaper } from "./theme.ts";
import { useLatest } from "./uselatest.ts";

const directions = 6; // maximum number of sliders: further directions hardly move anything

/** The Sample view: random configurations of the experts, and the effect of each principal direction of their Gaussian. */
export function Sample({ model }: { model: Model }): JSX.Element {
  const { parts, wrong } = useParts(model);
  const components = model.components.filter((c) => c.moves.some((m) => Math.max(Math.abs(m.dy), Math.abs(m.dx), Math.abs(m.angle)) >= 0.5)).slice(0, directions);
  return (
    <div class="view sample">
      <p class="intro">
        New {model.table ? "rows" : "images"} from “{model.name}”
        {model.components.length > 0 ? <>: the places and rotations of the parts follow one joint <b>Gaussian</b>, fitted to the explanations of the training images.</>
          : <>: each part appears as often as it was used in training.{!model.table && votesBothWays(model) && " Yellow is on, blue off, grey left to chance."}</>}
      </p>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      {parts && components.length > 0 && <Along key={model.id} model={model} components={components} />}
      {parts && <Many key={`many-${model.id}`} parts={parts} />}
    </div>
  );
}

/** Random samples. */
function Many({ parts }: { parts: Parts }): JSX.Element {
  const { model } = parts, numbers = ofNumbers(model), [seed, setSeed] = useState(1), [noise, setNoise] = useState(false);
  const { answer, wrong } = useLatest((s: number) => api.sample(model.id, 12, s, null, true), seed), samples = answer ?? [];
  const one = (s: Drawn, i: number) => {
    if (model.table) return <SampledRow sample={s} model={model} />;
    return numbers ? <Grey values={floatsOf(s.values ?? "")} parts={parts} label={`Sample ${i + 1}`} across={140} /> : <Picture sample={s} model={model} noise={noise} across={140} />;
  };
  return (
    <section class="card" aria-label="Random samples">
      <div class="row">
        <h2>Random samples</h2>
        <button type="button" class="main" onClick={() => setSeed(seed + 1)}>New samples</button>
        {!model.table && !numbers && <label class="inline"><input type="checkbox" checked={noise} onChange={(e) => setNoise(e.currentTarget.checked)} /> as black and white pixels</label>}
        <span class="fine">seed {seed}</span>
      </div>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      <p class="hidden" role="status">{samples.length > 0 && `${samples.length} samples of seed ${seed}`}</p>
      {model.table && numbers ? (
        <div class="scrolled" role="region" aria-label="New rows" tabIndex={0}>
          <table class="measured">
            <thead><tr>{Array.from({ length: model.width }, (_, i) => <th key={i} scope="col">{column(model, i)}</th>)}</tr></thead>
            <tbody>{samples.map((s, r) => <tr key={r}>{Array.from(floatsOf(s.values ?? ""), (x, i) => <td key={i} class="number">{digits(x)}</td>)}</tr>)}</tbody>
          </table>
        </div>
      ) : <ul class={model.table ? "rows" : "strip wide"}>{samples.map((s, i) => <li key={i}>{one(s, i)}</li>)}</ul>}
    </section>
  );
}

function SampledRow({ sample, model }: { sample: Drawn; model: Model }): JSX.Element {
  const on = sample.bits.split("").flatMap((b, i) => (b === "1" ? [column(model, i)] : []));
  return <p class="rowtext">{sample.picks.map((p) => <Badge key={p.part} expert={p.part} label={called(model, p.part)} />)} {on.join(", ") || "no column is on"}</p>;
}

/** A configuration: coloured by expert, or as the black and white image that was drawn from it. */
function Picture({ sample, model, noise, across }: { sample: Drawn; model: Model; noise: boolean; across: number }): JSX.Element {
  const paper = usePaper(), height = model.images[0], width = model.images[1];
  const label = `Sample: ${sample.picks.map((p) => `${called(model, p.part)} ${poseWords(p)}`).join("; ") || "no part"}`;
  const colour = useMemo(() => {
    if (noise) {
      const bits = Bits.parse({ height, width, bits: sample.bits });
      return (i: number) => bitColour(paper, bits, i);
    }
    const p = floatsOf(sample.p);
    if (!votesBothWays(model)) return voices(paper, { experts: sample.picks.map((x) => x.part), speaker: speakersOf(sample.speakers), p, start: new Float32Array(height * width).fill(model.q) });
    const of = probability(paper, true, model.q);
    return (i: number) => of(p[i]);
  }, [sample, noise, paper]);
  return <Pixels height={height} width={width} label={label} colour={colour} across={across} />;
}

/** One configuration, moved along the principal directions. */
function Along({ model, components }: { model: Model; components: Component[] }): JSX.Element {
  const [z, setZ] = useState<number[]>(() => components.map(() => 0));
  const { answer, wrong } = useLatest((at: number[]) => api.sample(model.id, 1, 1, at, false), z), sample = answer?.[0];
  return (
    <section class="card along" aria-label="Principal directions">
      <div class="big">{sample && <Picture sample={sample} model={model} noise={false} across={448} />}</div>
      <div>
        <div class="row">
          <h2>Principal directions</h2>
          <button type="button" onClick={() => setZ(components.map(() => 0))}>Mean</button>
        </div>
        <p class="fine">Each slider moves all parts together along one direction in which they vary, in standard deviations. The first direction varies most. The end of each line shows the effect of +1.</p>
        {wrong && <p class="error" role="alert">{wrong}</p>}
        {components.map((c, i) => (
          <label key={i} class="direction">
            <span><b>direction {i + 1}</b> <span class="value">{z[i] >= 0 ? "+" : "−"}{Math.abs(z[i]).toFixed(1)}</span></span>
            <input type="range" min="-3" max="3" step="0.1" value={z[i]} aria-valuetext={`${z[i]} standard deviations`}
              onInput={(e) => setZ(z.map((old, j) => (j === i ? e.currentTarget.valueAsNumber : old)))} />
            <span class="moves">
              {c.moves.map((m) => (
                <span key={m.part}><Badge expert={m.part} label={called(model, m.part)} /> {poseShort(m)}</span>
              ))}
            </span>
          </label>
        ))}
      </div>
    </section>
  );
}
