import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Bits } from "./bits.ts";
import { votesBothWays, words, type Example, type Expert, type Model } from "./api.ts";
import { compose, place, strong } from "./compose.ts";
import { floatsOf } from "./decode.ts";
import { exampleName } from "./examples.tsx";
import { number, percent, poseWords } from "./format.ts";
import { css, hue } from "./palette.ts";
import { bitColour, outline, overlay, probability } from "./paint.ts";
import { Badge, Pixels } from "./pixels.tsx";
import { api, arrivals, data, fitting, useCell } from "./store.ts";
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

/** The Parts view: the parts of a model and the images that each explains. */
export function Experts({ model }: { model: Model }): JSX.Element {
  const { experts, wrong } = useExperts(model), [chosen, setChosen] = useState<number | null>(null);
  useEffect(() => setChosen(null), [model.id]);
  return (
    <div class="view experts">
      <p class="intro">
        A <b>part</b> (the paper calls it an <i>expert</i>) is a template: for every {model.table ? "column" : "pixel"} the probability of {model.table ? "yes" : "ink"}, or no vote at all. “{model.name}”
        has{experts ? ` ${experts.length} of them` : " these"}. {!model.table && votesBothWays(model) && "Yellow is a vote for on, blue for off, grey no vote. "}<b>Choose one to see what it explains.</b>
      </p>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      <ul class="gallery">
        {experts?.map((e) => (
          <li key={e.index}>
            <button type="button" class="expert card" aria-pressed={chosen === e.index} onClick={() => setChosen(chosen === e.index ? null : e.index)}>
              <ExpertCard expert={e} model={model} />
            </button>
          </li>
        ))}
      </ul>
      {experts && chosen !== null && <Explained model={model} experts={experts} expert={chosen} />}
    </div>
  );
}

function ExpertCard({ expert, model }: { expert: Known; model: Model }): JSX.Element {
  const paper = usePaper(), both = votesBothWays(model);
  const colour = probability(paper, both, model.q);
  return (
    <>
      <span class="row"><Badge expert={expert.index} /><b>part {expert.index}</b></span>
      {model.table
        ? <Strengths expert={expert} most={6} />
        : <Pixels height={model.height} width={model.width} label={`Template of part ${expert.index}`} colour={(i) => colour(expert.template[i])} across={200} />}
      <span class="facts">
        {expert.usage !== null && (
          <span class="fact">
            <span>used in {percent(expert.usage)} of {model.table ? "rows" : "images"}</span>
            <span class="bar"><span style={{ width: `${100 * expert.usage}%`, backgroundColor: css(hue(expert.index)) }} /></span>
          </span>
        )}
        {!model.table && expert.pose && <span class="fact">usually {poseWords(expert.pose, 1)}</span>}
        {!model.table && <span class="fact">{number(expert.elongation)} times as long as wide</span>}
      </span>
    </>
  );
}

/** The columns of a table on which an expert votes, strongest first. */
export function Strengths({ expert, most }: { expert: Known; most: number }): JSX.Element {
  const columns = expert.columns ?? [];
  return (
    <span class="strengths">
      {columns.slice(0, most).map((c) => (
        <span key={c.index} class="strength">
          <span class="name" title={c.name}>{c.name}</span>
          <Vote p={c.p} q={c.q} expert={expert.index} />
          <span class="value">{percent(c.p)}</span>
        </span>
      ))}
      {columns.length > most && <span class="fine">and {columns.length - most} more</span>}
      {columns.length === 0 && <span class="fine">votes on no column</span>}
    </span>
  );
}

/** A bar from the abstention value to the vote: to the right for yes, to the left for no. */
export function Vote({ p, q, expert }: { p: number; q: number; expert?: number }): JSX.Element {
  const low = Math.min(p, q), high = Math.max(p, q);
  return (
    <span class="vote" aria-hidden="true">
      <span class={p >= q ? "yes" : "no"} style={{ left: `${100 * low}%`, width: `${100 * (high - low)}%`, ...(expert === undefined ? {} : { backgroundColor: css(hue(expert)) }) }} />
      <i style={{ left: `${100 * q}%` }} />
    </span>
  );
}

/** The images that an expert explains best and worst. */
function Explained({ model, experts, expert }: { model: Model; experts: Known[]; expert: number }): JSX.Element {
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
  if (!used) return <p class="fine">No data of this size are loaded; open a file in the Draw view to see what part {expert} explains in it.</p>;
  const worst = found?.worst.filter((w) => !found.best.some((b) => b.index === w.index)) ?? [];
  return (
    <section class="card" aria-label={`What part ${expert} explains`}>
      <div class="row">
        <h2><Badge expert={expert} /> Part {expert} in {sets.length > 1 ? "" : used.name}</h2>
        {sets.length > 1 && (
          <select aria-label="Data set" value={used.id} onChange={(e) => setSet(e.currentTarget.value)}>
            {sets.map((d) => <option key={d.id} value={d.id}>{d.name}</option>)}
          </select>
        )}
      </div>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      <p class="hidden" role="status">{found ? `${found.best.length} examples that part ${expert} explains best and ${worst.length} that it explains worst` : "searching"}</p>
      {!found && !wrong && <p class="fine">Searching {used.n} {model.table ? "rows" : "images"}…</p>}
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
              <figcaption>{exampleName(x)}<br /><b>+{number(x.gain)}</b> nats</figcaption>
            </figure>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The columns that are on in a row. */
function RowText({ example, model }: { example: Example; model: Model }): JSX.Element {
  const on = example.bits.split("").flatMap((b, i) => (b === "1" ? [model.columns?.[i] ?? `column ${i}`] : []));
  return <p class="rowtext">{on.slice(0, 12).join(", ") || "no column is on"}{on.length > 12 && `, and ${on.length - 12} more`}</p>;
}

/** An example with its explanation, the chosen expert outlined. */
function Overlaid({ example, model, experts, expert }: { example: Example; model: Model; experts: Known[]; expert: number }): JSX.Element {
  const paper = usePaper(), { height, width } = model, bits = Bits.parse(example), picks = example.explanation.picks;
  const votes = picks.map((p) => place(experts[p.expert].template, height, width, p)), c = compose(votes, model.q, votesBothWays(model), height * width);
  const layer = { experts: picks.map((p) => p.expert), ...c, start: new Float32Array(height * width).fill(model.q) };
  const colour = picks.length ? overlay(paper, bits, layer) : (i: number) => bitColour(paper, bits, i);
  const own = picks.findIndex((p) => p.expert === expert);
  return (
    <Pixels height={height} width={width} label={`${exampleName(example)}: parts ${picks.map((p) => p.expert).join(", ")}`} colour={colour} across={140}
      more={own < 0 ? undefined : (canvas) => outline(canvas, height, width, [{ expert, inside: (i) => strong(votes[own][i], model.q, votesBothWays(model)) }], paper, false)} />
  );
}
