import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Bits } from "./bits.ts";
import { votesBothWays, words, type Example, type Expert, type Model } from "./api.ts";
import { compose, place, strong } from "./compose.ts";
import { floatsOf } from "./decode.ts";
import { go } from "./address.ts";
import { exampleName } from "./examples.tsx";
import { apart, called, column } from "./names.ts";
import { OpenPart, PartName } from "./part.tsx";
import { percent, plural, poseWords, signed } from "./format.ts";
import { css, hue } from "./palette.ts";
import { bitColour, outline, overlay, probability } from "./paint.ts";
import { Badge, Pixels } from "./pixels.tsx";
import { api, arrivals, data, fitting, useCell } from "./store.ts";
import { Strengths } from "./strengths.tsx";
import { usePaper } from "./theme.ts";

/** An expert (a part, on the page) with its template decoded. */
export interface Known extends Omit<Expert, "template"> {
  template: Float32Array;
}

/** The experts of a model: null until loaded; wrong is the error, if any. */
export function useExperts(model: Model | null): { experts: Known[] | null; wrong: string } {
  const [state, setState] = useState<{ id: string; experts: Known[] | null; wrong: string }>({ id: "", experts: null, wrong: "" });
  const arrival = useCell(arrivals), id = model?.id ?? "";
  useEffect(() => {
    if (!id) return;
    let current = true;
    api.experts(id).then(
      (all) => current && setState({ id, experts: all.map((e) => ({ ...e, template: floatsOf(e.template) })), wrong: "" }),
      (e: unknown) => current && setState({ id, experts: null, wrong: words(e) }),
    );
    return () => { current = false; };
  }, [id, arrival]);
  return state.id === id ? state : { experts: null, wrong: "" };
}

/** The Parts view: the parts of a model; each opens in full. */
export function Experts({ model }: { model: Model }): JSX.Element {
  const { experts, wrong } = useExperts(model);
  return (
    <div class="view experts">
      <p class="intro">
        A <b>part</b> (the paper calls it an <i>expert</i>) is a template: for every {model.table ? "column" : "pixel"} the probability of {model.table ? "yes" : "ink"}, or no vote at all. “{model.name}”
        has{experts ? ` ${experts.length} of them` : " these"}. {!model.table && votesBothWays(model) && "Yellow is a vote for on, blue for off, grey no vote. "}<b>Open one to see what it explains.</b>
      </p>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      <Gallery model={model} experts={experts} most={6} />
      {experts && <OpenPart key={model.id} model={model} experts={experts} />}
    </div>
  );
}

/** The parts of a model as cards: each with its name, which can be changed, and what it says in short. */
export function Gallery({ model, experts, most }: { model: Model; experts: Known[] | null; most: number }): JSX.Element {
  return (
    <ul class={`gallery ${model.table ? "parts" : ""}`}>
      {experts?.map((e) => (
        <li key={e.index} class="card expert">
          <span class="row"><Badge expert={e.index} /><PartName model={model} k={e.index} /></span>
          <ExpertCard expert={e} model={model} most={most} />
        </li>
      ))}
    </ul>
  );
}

function ExpertCard({ expert, model, most }: { expert: Known; model: Model; most: number }): JSX.Element {
  const paper = usePaper(), both = votesBothWays(model), colour = probability(paper, both, model.q), open = () => go({ part: expert.index });
  return (
    <>
      {model.table
        ? <Strengths expert={expert} most={most} onAll={open} />
        : <button type="button" class="tile" aria-hidden="true" tabIndex={-1} onClick={open}>
            <Pixels height={model.height} width={model.width} label="" colour={(i) => colour(expert.template[i])} across={200} />
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

/** The images that an expert explains best and worst. */
export function Explained({ model, experts, expert }: { model: Model; experts: Known[]; expert: number }): JSX.Element {
  const sets = fitting(model, useCell(data)), [set, setSet] = useState(""), used = sets.find((d) => d.id === set) ?? sets[0];
  const [found, setFound] = useState<{ best: Example[]; worst: Example[] } | null>(null), [wrong, setWrong] = useState("");
  useEffect(() => {
    if (!used) return;
    let current = true;
    setFound(null);
    setWrong("");
    api.examples(model.id, expert, used.id, 6).then((f) => current && setFound(f), (e: unknown) => current && setWrong(words(e)));
    return () => { current = false; };
  }, [model.id, expert, used?.id]);
  if (!used) return <p class="fine">No data that fit this model are loaded. Open a file to see what {called(model, expert)} explains in it.</p>;
  const worst = found?.worst.filter((w) => !found.best.some((b) => b.index === w.index)) ?? [];
  return (
    <section aria-label={`What ${called(model, expert)} explains`}>
      <div class="row">
        <h2>In the data {sets.length > 1 ? "" : used.name}</h2>
        {sets.length > 1 && (
          <select aria-label="Data set" value={used.id} onChange={(e) => setSet(e.currentTarget.value)}>
            {sets.map((d) => <option key={d.id} value={d.id}>{apart(sets, d)}</option>)}
          </select>
        )}
      </div>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      <p class="hidden" role="status">{found ? `${found.best.length} examples that ${called(model, expert)} explains best and ${worst.length} that it explains worst` : "searching"}</p>
      {!found && !wrong && <p class="fine">Searching {plural(used.n, model.table ? "row" : "image")}…</p>}
      {found && <Row title="Explains best" examples={found.best} model={model} experts={experts} expert={expert} />}
      {worst.length > 0 && <Row title="Explains worst, among those that use it" examples={worst} model={model} experts={experts} expert={expert} />}
    </section>
  );
}

function Row(props: { title: string; examples: Example[]; model: Model; experts: Known[]; expert: number }): JSX.Element {
  const { title, examples, model, experts, expert } = props;
  return (
    <>
      <h3>{title}</h3>
      {examples.length === 0 && <p class="fine">No example uses it.</p>}
      <ul class="strip wide">
        {examples.map((x) => (
          <li key={x.index}>
            <figure>
              {model.table ? <RowText example={x} model={model} /> : <Overlaid example={x} model={model} experts={experts} expert={expert} />}
              <figcaption>{exampleName(x)}<br /><b>{signed(x.gain)}</b> nats</figcaption>
            </figure>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The columns that are on in a row. */
function RowText({ example, model }: { example: Example; model: Model }): JSX.Element {
  const on = (example.bits ?? "").split("").flatMap((b, i) => (b === "1" ? [column(model, i)] : []));
  return <p class="rowtext">{on.slice(0, 12).join(", ") || "no column is on"}{on.length > 12 && `, and ${on.length - 12} more`}</p>;
}

/** An example with its explanation, the chosen expert outlined. */
function Overlaid({ example, model, experts, expert }: { example: Example; model: Model; experts: Known[]; expert: number }): JSX.Element {
  const paper = usePaper(), { height, width } = example, bits = Bits.parse(example), picks = example.explanation.picks;
  const votes = picks.map((p) => place(experts[p.expert].template, model, p, example)), c = compose(votes, model.q, votesBothWays(model), height * width);
  const layer = { experts: picks.map((p) => p.expert), ...c, start: new Float32Array(height * width).fill(model.q) };
  const colour = picks.length ? overlay(paper, bits, layer) : (i: number) => bitColour(paper, bits, i);
  const own = picks.findIndex((p) => p.expert === expert);
  return (
    <Pixels height={height} width={width} label={`${exampleName(example)}: ${picks.map((p) => called(model, p.expert)).join(", ")}`} colour={colour} across={140}
      more={own < 0 ? undefined : (canvas) => outline(canvas, height, width, [{ expert, inside: (i) => strong(votes[own][i], model.q, votesBothWays(model)) }], paper, false)} />
  );
}
