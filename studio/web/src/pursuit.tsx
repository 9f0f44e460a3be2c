import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { layerAt, type Shown } from "./drawing.ts";
import { leftOver } from "./leftover.ts";
import { number, poseShort, poseWords, signed } from "./format.ts";
import { css, hue, mix, type Paper, type RGB } from "./palette.ts";
import { probability, voices } from "./paint.ts";
import { Badge, Pixels } from "./pixels.tsx";

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether the pursuit has been played once, which the first visit does automatically. */
let played = false;

/** The pursuit, pick by pick: a slider, and the list of the picks with their gains. */
export function Pursuit(props: { shown: Shown; at: number; paper: Paper; q: number; both: boolean; moves: boolean; name: (k: number) => string; onStep: (step: number | null) => void }): JSX.Element {
  const { shown, at, paper, q, both, moves, name, onStep } = props, n = shown.picks.length;
  const [playing, setPlaying] = useState(false);
  const play = () => {
    onStep(0);
    setPlaying(true);
  };
  useEffect(() => {
    if (!played && !still.matches) play();
    played = true;
  }, []);
  useEffect(() => {
    if (!playing) return;
    const timer = setTimeout(() => {
      if (at >= n) setPlaying(false);
      else onStep(at + 1 === n ? null : at + 1);
    }, 700);
    return () => clearTimeout(timer);
  }, [playing, at, n]);
  const most = Math.max(...shown.picks.map((p) => p.gain ?? 0), 1e-9);
  const colour = probability(paper, both, q), { height, width } = shown.bits;
  return (
    <section class="card pursuit" aria-label="Pursuit, pick by pick">
      <h2>Pursuit</h2>
      <div class="steps">
        <button type="button" disabled={n === 0} onClick={play}>
          {playing ? "Again" : "Play"}
        </button>
        <input type="range" min="0" max={n} step="1" value={at} aria-label="Picks shown" aria-valuetext={`${at} of ${n} picks`}
          onInput={(e) => { setPlaying(false); onStep(e.currentTarget.valueAsNumber === n ? null : e.currentTarget.valueAsNumber); }} />
        <output>{at} of {n}</output>
      </div>
      <ol class="picks">
        {shown.picks.map((p, j) => (
          <li key={j} class={j < at ? "" : "later"}>
            <button type="button" class="pick" aria-pressed={j < at} onClick={() => onStep(j + 1 === n ? null : j + 1)}>
              <span class="hidden">Pick {j + 1}: </span>
              <Badge expert={p.part} />
              <span class="thumb"><Pixels height={height} width={width} label="" colour={(i) => votes(shown.steps[j].votes[i], p.part, paper, q, both, colour)} across={96} /></span>
              <span class="about">
                <b>{name(p.part)}</b> {moves && <span class="pose" aria-hidden="true">{poseShort(p)}</span>}<span class="hidden">{moves && `, ${poseWords(p)}`}, gains </span>
                <span class="bar"><span style={{ width: `${(100 * Math.max(0, p.gain ?? 0)) / most}%`, backgroundColor: css(hue(p.part)) }} /></span>
              </span>
              <span class="gain">{signed(p.gain ?? null)}<small> nats</small></span>
            </button>
          </li>
        ))}
      </ol>
      <p class="fine">
        Each pick is the part{moves && ", with its pose,"} that makes the image most likely, given the {moves ? "other picks" : "picks before it"}. Log-likelihood:{" "}
        {number(at === 0 ? shown.startLogLik : shown.steps[at - 1].logLik)} nats{at === 0 ? " before any pick" : ""}.
      </p>
    </section>
  );
}

function votes(v: number, expert: number, paper: Paper, q: number, both: boolean, colour: (p: number) => RGB): RGB {
  return both ? colour(v) : mix(paper.off, hue(expert), Number.isNaN(v) || v <= q ? 0 : v);
}

/** Three pictures of the current step: the composed template, the deciding parts, and what is left. */
export function Panels(props: {
  shown: Shown; at: number; paper: Paper; q: number; both: boolean; onHover: (pixel: number | null) => void;
}): JSX.Element {
  const { shown, at, paper, q, both, onHover } = props, layer = layerAt(shown, at), { height, width } = shown.bits;
  const left = leftOver(shown.bits, layer, both), faint = mix(paper.off, paper.on, 0.42);
  const composed = probability(paper, both, q);
  const [first, second] = both ? ["pixels against the parts", "left to chance"] : ["pixels of ink", "where ink was expected"];
  return (
    <section class="panels" aria-label="The explanation in three pictures">
      <figure>
        <Pixels height={height} width={width} label="Composed template: the probability of ink that the parts together give each pixel" onHover={onHover}
          colour={(i) => composed(layer.p[i])} />
        <figcaption><b>Composed template</b> what the parts say together{both && ": blue off, yellow on, grey nothing"}</figcaption>
      </figure>
      <figure>
        <Pixels height={height} width={width} label="The part that decides each pixel, in the colours of the parts" onHover={onHover} colour={voices(paper, layer)} />
        <figcaption><b>Deciding part</b> the strongest vote at each pixel</figcaption>
      </figure>
      <figure>
        <Pixels height={height} width={width} label={`What is left unexplained: ${left.first} ${first}, ${left.second} ${second}`} onHover={onHover}
          colour={(i) => [paper.off, paper.on, faint][left.kind[i]]} />
        <figcaption><b>Unexplained</b> <Key colour={paper.on} /> {left.first} {first}, <Key colour={faint} /> {left.second} {second}</figcaption>
      </figure>
    </section>
  );
}

function Key({ colour }: { colour: RGB }): JSX.Element {
  return <span class="key" style={{ backgroundColor: css(colour) }} />;
}
