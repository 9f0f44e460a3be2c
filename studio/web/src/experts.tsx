import type { JSX } from "preact";
import { go } from "./address.ts";
import { votesBothWays, type Expert, type Ground, type Model } from "./api.ts";
import { floatsOf } from "./decode.ts";
import { digits, percent, poseWords } from "./format.ts";
import { called } from "./names.ts";
import { Overview } from "./overview.tsx";
import { deviationOf, greyOf, probability, scaleOf, type Scale } from "./paint.ts";
import { css, hue, type Paper, type RGB } from "./palette.ts";
import { OpenPart, PartName } from "./part.tsx";
import { Badge, Pixels } from "./pixels.tsx";
import { api, ofNumbers } from "./store.ts";
import { Strengths } from "./strengths.tsx";
import { usePaper } from "./theme.ts";
import { useLatest } from "./uselatest.ts";

/** An expert (a part, on the page) with its template decoded. */
export interface Known extends Omit<Expert, "template"> {
  template: Float32Array;
}

/** The parts of a model; of numbers also what is said without them, and how these are drawn. */
export interface Parts {
  model: Model;
  experts: Known[];
  ground: Ground | null;
  scale: Scale | null;
}

async function partsOf(id: string): Promise<Omit<Parts, "model"> & { id: string } | null> {
  if (!id) return null;
  const a = await api.experts(id), experts = a.experts.map((e) => ({ ...e, template: floatsOf(e.template) })), ground = a.background ?? null;
  return { id, experts, ground, scale: ground && scaleOf(floatsOf(ground.mean), experts.map((e) => e.template)) };
}

/** The parts of a model: null until loaded; wrong is the error, if any. */
export function useParts(model: Model | null): { parts: Parts | null; wrong: string } {
  const { answer, wrong } = useLatest(partsOf, model?.id ?? "");
  return { parts: model && answer?.id === model.id ? { ...answer, model } : null, wrong };
}

/** The colours of a template: probabilities, or of numbers what is above and below what is said without parts. */
export function partColour({ model, ground, scale }: Parts, paper: Paper): (template: Float32Array) => (i: number) => RGB {
  if (!ground || !scale) {
    const colour = probability(paper, votesBothWays(model), model.q);
    return (t) => (i) => colour(t[i]);
  }
  const colour = deviationOf(paper, scale), mean = floatsOf(ground.mean);
  return (t) => (i) => colour(t[i] - mean[Math.min(i, mean.length - 1)]);
}

/** The Explore view: the parts of a model, each of which opens in full, and all rows by them. */
export function Experts({ model }: { model: Model }): JSX.Element {
  const { parts, wrong } = useParts(model);
  return (
    <div class="view experts">
      <p class="intro">
        A <b>part</b> (the paper calls it an <i>expert</i>) is a template: for every {model.table ? "column" : "pixel"} {ofNumbers(model) ? "what its value is" : `the probability of ${model.table ? "yes" : "ink"}`}, or no vote at all. “{model.name}”
        has{parts ? ` ${parts.experts.length} of them` : " these"}. {!model.table && votesBothWays(model) && "Yellow is a vote for on, blue for off, grey no vote. "}
        {!model.table && parts?.scale && `Yellow is ${digits(parts.scale.full)} brighter than otherwise or more, blue as much darker. `}<b>Open one to see what it explains.</b>
      </p>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      {parts && <Gallery parts={parts} most={6} />}
      {model.shares && <p class="fine">{model.shares[0].toUpperCase() + model.shares.slice(1)}.</p>}
      {parts && <Overview parts={parts} />}
      {parts && <OpenPart key={model.id} parts={parts} />}
    </div>
  );
}

/** The parts of a model as cards: each with its name, which can be changed, and what it says in short. */
export function Gallery({ parts, most }: { parts: Parts; most: number }): JSX.Element {
  const { model, experts } = parts;
  return (
    <ul class={`gallery ${model.table ? "parts" : ""}`}>
      {experts.map((e) => (
        <li key={e.index} class="card expert">
          <span class="row"><Badge expert={e.index} /><PartName model={model} k={e.index} /></span>
          <ExpertCard expert={e} parts={parts} most={most} />
        </li>
      ))}
    </ul>
  );
}

function ExpertCard({ expert, parts, most }: { expert: Known; parts: Parts; most: number }): JSX.Element {
  const { model } = parts, colour = partColour(parts, usePaper())(expert.template), open = () => go({ part: expert.index });
  return (
    <>
      {model.table
        ? <Strengths expert={expert} most={most} onAll={open} />
        : <button type="button" class="tile" aria-hidden="true" tabIndex={-1} onClick={open}>
            <Pixels height={model.frame[0]} width={model.frame[1]} label="" colour={colour} across={200} />
          </button>}
      <span class="facts">
        {expert.usage !== null && (
          <span class="fact">
            <span>{model.table ? `used in ${percent(expert.usage)} of rows` : expert.words}</span>
            <span class="bar"><span style={{ width: `${100 * expert.usage}%`, backgroundColor: css(hue(expert.index)) }} /></span>
          </span>
        )}
        {!model.table && expert.pose && <span class="fact">usually {poseWords(expert.pose, 1)}</span>}
        {!model.table && expert.usage === null && <span class="fact">{expert.words}</span>}
      </span>
      {!model.table && <button type="button" class="openpart" aria-haspopup="dialog" onClick={open}>Details…<span class="hidden"> of {called(model, expert.index)}</span></button>}
    </>
  );
}

/** An image of numbers. */
export function Grey({ values, parts, label, across }: { values: ArrayLike<number | null>; parts: Parts; label: string; across: number }): JSX.Element {
  const [height, width] = parts.model.images, grey = greyOf(usePaper(), parts.scale as Scale, width);
  return <Pixels height={height} width={width} label={label} colour={(i) => grey(values[i], i)} across={across} />;
}
