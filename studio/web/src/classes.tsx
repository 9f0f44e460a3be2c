import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Bits } from "./bits.ts";
import { Canvas, Tools, type Tool } from "./canvas.tsx";
import { layerAt } from "./drawing.ts";
import { number, percent, plural } from "./format.ts";
import * as naming from "./naming.ts";
import { bitColour, overlay, paint } from "./paint.ts";
import type { Paper } from "./palette.ts";
import { Pixels } from "./pixels.tsx";
import { useCell } from "./store.ts";
import { usePaper } from "./theme.ts";

/** The Classes view: symbols drawn a few times each, and which of them a new drawing is. */
export function Classes(): JSX.Element {
  const bits = useCell(naming.pad), symbols = useCell(naming.symbols), verdict = useCell(naming.verdict), problem = useCell(naming.problem), paper = usePaper();
  const [tool, setTool] = useState<Tool>("pen"), [pen, setPen] = useState(3), [name, setName] = useState(""), said = useRef("");
  useEffect(naming.ask, [bits, symbols]);
  const put = (b: Bits | undefined) => b && naming.pad.set(b);
  const add = (to: string) => {
    if (bits.ink() === 0 || !to.trim()) return;
    said.current = `Added to ${to.trim()}`;
    naming.add(to.trim());
  };
  const shown = verdict && verdict.bits === bits ? verdict.shown : null;
  return (
    <div class="view classes">
      <p class="intro">
        Draw a symbol, give it a name and add it, five times, each a little differently; then another symbol. <b>The next drawing is named while you draw</b>: which of the symbols it is, how sure that is, and why.
      </p>
      <div class="ten">
        <div class="pad">
          <Canvas bits={bits} pen={pen} tool={tool} label="Pad for a symbol" across={336}
            paint={(c) => paint(c, naming.side, naming.side, shown ? overlay(paper, bits, layerAt(shown, shown.picks.length)) : (i) => bitColour(paper, bits, i))}
            onDraw={(b, before) => { if (before) naming.past.push(before); naming.pad.set(b); }} onUndo={() => put(naming.past.undo(bits))} onRedo={() => put(naming.past.redo(bits))} onClear={naming.clear} />
        </div>
        <div class="padtools">
          <form class="newsymbol" onSubmit={(e) => { e.preventDefault(); add(name); }}>
            <label class="field">Name of the symbol <input type="text" maxLength={40} autocomplete="off" value={name} onInput={(e) => setName(e.currentTarget.value)} /></label>
            <button type="submit" class="main" disabled={bits.ink() === 0 || !name.trim()}>Add this drawing</button>
          </form>
          <Tools tool={tool} onTool={setTool} pen={pen} onPen={setPen} canUndo={naming.past.canUndo} canRedo={naming.past.canRedo}
            onUndo={() => put(naming.past.undo(bits))} onRedo={() => put(naming.past.redo(bits))} onClear={naming.clear} />
        </div>
      </div>
      <p class="hidden" role="status">{said.current}</p>
      {problem && <p class="error" role="alert">{problem}</p>}
      <Answer verdict={verdict && bits.ink() > 0 ? verdict : null} symbols={symbols.length} ink={bits.ink()} paper={paper} />
      {symbols.map((s) => (
        <section key={s.name} class="card symbol" aria-label={`Symbol ${s.name}`}>
          <h2>{s.name} <small>{plural(s.images.length, "drawing")}</small></h2>
          <ul class="strip">
            {s.images.map((b, i) => (
              <li key={i}>
                <button type="button" class="tile remove" aria-label={`Remove drawing ${i + 1} of ${s.name}`} title="Remove" onClick={() => naming.remove(s.name, i)}>
                  <Pixels height={naming.side} width={naming.side} label="" colour={(j) => bitColour(paper, b, j)} across={56} />
                </button>
              </li>
            ))}
          </ul>
          <button type="button" disabled={bits.ink() === 0} onClick={() => add(s.name)}>Add this drawing to {s.name}</button>
        </section>
      ))}
    </div>
  );
}

/** What the drawing is, and why. */
function Answer({ verdict: v, symbols, ink, paper }: { verdict: naming.Verdict | null; symbols: number; ink: number; paper: Paper }): JSX.Element | null {
  if (!v) {
    const next = symbols === 0 ? "" : symbols === 1 ? "Draw a second symbol, so that there is something to tell apart." : ink === 0 ? "Now draw one of them again: what is it?" : "";
    return next ? <p class="finding">{next}</p> : null;
  }
  const pieces = v.shown.picks.length;
  return (
    <section class="card verdict" aria-label="What it is, and why">
      <p class="finding" role="status">It is <b>{v.class}</b>, {percent(v.probabilities[0].p)} sure.</p>
      <div class="why">
        <figure>
          <Pixels height={naming.side} width={naming.side} label={`Drawing ${v.number + 1} of ${v.class}`} colour={(j) => bitColour(paper, v.example, j)} across={112} />
          <figcaption>most like drawing {v.number + 1} of {v.class}</figcaption>
        </figure>
        <div>
          <p>{plural(pieces, "piece")} of that drawing, moved and turned, {pieces === 1 ? "explains" : "explain"} this one: {v.left === 0 ? "no ink is left over" : `${plural(v.left, "pixel")} of ink left over`}, {v.missing === 0 ? "none is missing" : `${v.missing} missing`}.
            {" "}Second comes <b>{v.second}</b>, {Number.isFinite(v.logOdds) ? `${number(v.logOdds)} nats behind` : "which is impossible"}.</p>
          <ul class="odds">
            {v.probabilities.slice(0, 6).map((x) => (
              <li key={x.name}><span class="who">{x.name}</span><span class="bar"><span style={{ width: `${100 * x.p}%` }} /></span><span class="gain">{percent(x.p)}</span></li>
            ))}
          </ul>
        </div>
      </div>
    </section>
  );
}
