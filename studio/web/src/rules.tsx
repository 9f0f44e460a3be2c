import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Answer, Rule } from "./api.ts";
import { number } from "./format.ts";
import { css, hue } from "./palette.ts";
import { api, useCell } from "./store.ts";
import { theme } from "./theme.ts";
import { useLatest } from "./uselatest.ts";

/** A distinct line for each rule: colours of Okabe and Ito, and dashes, so that none depends on colour alone. */
const dashes = ["", "8 4", "2 4", "", "8 4", "2 4", "12 3 2 3"];
const colours = [2, 0, 1, 2, 0, 1, 3];

/** The colour of a rule's line; on a dark background, a lighter blue. */
function lineColour(i: number, dark: boolean): string {
  return css(hue(dark && colours[i] === 2 ? 5 : colours[i]));
}

/** The Rules view: an interactive version of the paper's Figure 1. */
export function Rules(): JSX.Element {
  const { answer: rules, wrong } = useLatest(() => api.rules(), "");
  return (
    <div class="view rules">
      <p class="intro">
        A <b>composition rule</b> combines the votes of several parts on one pixel into one probability. Two parts are enough to see how the seven rules of the paper differ.
      </p>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      {rules && <Opinions rules={rules} />}
    </div>
  );
}

function Slider(props: { label: string; value: number; onInput: (v: number) => void; min?: number; max?: number }): JSX.Element {
  return (
    <label class="slider">
      <span>{props.label} <b class="value">{props.value.toFixed(2)}</b></span>
      <input type="range" min={props.min ?? 0} max={props.max ?? 1} step="0.01" value={props.value} onInput={(e) => props.onInput(e.currentTarget.valueAsNumber)} />
    </label>
  );
}

/** Figure 1, top: the composed probability as a function of the second vote. */
function Opinions({ rules }: { rules: Rule[] }): JSX.Element {
  const [p1, setP1] = useState(0.7), [p2, setP2] = useState(0.3), [qs, setQs] = useState<[number, number]>([0, 0.5]);
  const curves = useLatest((at: { p1: number; qs: number[] }) => api.call("GET /v1/rules/curves", { query: { p1: [at.p1], q: at.qs, points: 101 } }), { p1, qs });
  const composed = [useLatest(composeWith, [p1, p2, qs[0]]), useLatest(composeWith, [p1, p2, qs[1]])] as const;
  const dark = useCell(theme) === "dark", at = (name: string, symmetric: boolean) => composed[symmetric ? 1 : 0].answer?.find((r) => r.rule === name)?.p ?? null;
  return (
    <section class="card" aria-label="Two votes">
      <h2>Two votes</h2>
      <div class="two">
        <Slider label="The first part says" value={p1} onInput={setP1} />
        <Slider label="The second part says" value={p2} onInput={setP2} />
      </div>
      {(curves.wrong || composed[0].wrong) && <p class="error" role="alert">{curves.wrong || composed[0].wrong}</p>}
      <div class="two">
        {[false, true].map((symmetric) => (
          <div key={String(symmetric)}>
            <h3>{symmetric ? "Votes for and against: no vote is ½" : "Votes for ink only: no vote is 0"}</h3>
            <Slider label={`q, where no part votes, of ${symmetric ? "maximum minus minimum" : "the maximum"}`} value={qs[symmetric ? 1 : 0]} onInput={(q) => setQs(symmetric ? [qs[0], q] : [q, qs[1]])} />
            {curves.answer && <Chart curves={curves.answer} rules={rules} symmetric={symmetric} q={qs[symmetric ? 1 : 0]} p2={p2} dark={dark} />}
            <table>
              <thead><tr><th scope="col">rule</th><th scope="col">formula</th><th scope="col">composed</th></tr></thead>
              <tbody>
                {rules.map((r, i) => r.symmetric === symmetric && (
                  <tr key={r.name}>
                    <th scope="row"><svg class="swatch" viewBox="0 0 24 8" aria-hidden="true"><line x1="0" x2="24" y1="4" y2="4" stroke={lineColour(i, dark)} stroke-width="3" stroke-dasharray={dashes[i]} /></svg>{r.title}</th>
                    <td class="formula">{r.formula}</td>
                    <td class="number">{at(r.name, symmetric) === null ? "–" : number(at(r.name, symmetric))}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        ))}
      </div>
      <p class="fine">With the maximum and maximum minus minimum q may be any value; what lies on its wrong side is no vote. The maximum is flat at 0: its gradient never moves a part away from “no vote”. Under the sum of log-odds a second vote near 0 overrules any first one; under max minus min it only lowers the likelihood.</p>
    </section>
  );
}

const composeWith = ([p1, p2, q]: number[]) => api.compose([p1, p2], q);

function Chart({ curves, rules, symmetric, q, p2, dark }: { curves: Answer<"GET /v1/rules/curves">; rules: Rule[]; symmetric: boolean; q: number; p2: number; dark: boolean }): JSX.Element {
  const free = symmetric ? "max-minus-min" : "max", lines = curves.curves.filter((c, i) => (c.rule === free ? i >= rules.length && c.q === q : i < rules.length));
  const x = (v: number) => 34 + 496 * v, y = (v: number) => 220 - 208 * v;
  return (
    <svg class="chart" viewBox="0 0 540 256" role="img" aria-label="The composed probability as a function of the second vote, one line per rule; the table below has the values">
      {[0, 0.5, 1].map((v) => (
        <g key={v}>
          <line class="grid" x1={x(0)} x2={x(1)} y1={y(v)} y2={y(v)} />
          <text x={x(0) - 6} y={y(v) + 4} text-anchor="end">{v}</text>
          <text x={x(v)} y={y(0) + 16} text-anchor="middle">{v}</text>
        </g>
      ))}
      <text x={x(0.5)} y={y(0) + 31} text-anchor="middle">second vote</text>
      {lines.map((c) => {
        const i = rules.findIndex((r) => r.name === c.rule);
        if (i < 0 || rules[i].symmetric !== symmetric) return null;
        return <polyline key={c.rule} fill="none" stroke={lineColour(i, dark)} stroke-width="2.5" stroke-dasharray={dashes[i]}
          points={c.p.map((p, j) => `${x(curves.p2[j]).toFixed(1)},${y(p).toFixed(1)}`).join(" ")} />;
      })}
      <line class="marker" x1={x(0)} x2={x(1)} y1={y(q)} y2={y(q)} stroke-opacity="0.5" />
      <text x={x(1) + 3} y={y(q) - 5} text-anchor="end">q</text>
      <line class="marker" x1={x(p2)} x2={x(p2)} y1={y(0)} y2={y(1)} />
    </svg>
  );
}
