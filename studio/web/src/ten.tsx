import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { Bits } from "./bits.ts";
import { Canvas, Tools, type Tool } from "./canvas.tsx";
import { History } from "./history.ts";
import { drawn } from "./learning.ts";
import { bitColour, paint } from "./paint.ts";
import { Pixels } from "./pixels.tsx";
import { Cell, useCell } from "./store.ts";
import { usePaper } from "./theme.ts";

/** The side of a drawing in pixels, as for the letters of the paper. */
export const size = 56;
/** The suggested number of examples. */
export const wanted = 10;

const pad = new Cell(new Bits(size, size));
const past = new History<Bits>();

/** A pad to draw examples on, one after another. */
export function DrawTen(): JSX.Element {
  const bits = useCell(pad), all = useCell(drawn), paper = usePaper(), [tool, setTool] = useState<Tool>("pen"), [pen, setPen] = useState(4.5);
  const said = useRef("");
  const put = (b: Bits | undefined) => b && pad.set(b);
  const clear = () => { past.push(pad.value); pad.set(new Bits(size, size)); };
  const add = () => {
    if (pad.value.ink() === 0) return;
    drawn.set([...drawn.value, pad.value]);
    said.current = `Example ${drawn.value.length} added`;
    clear();
  };
  const remove = (i: number) => {
    said.current = `Example ${i + 1} removed`;
    drawn.set(drawn.value.filter((_, j) => j !== i));
  };
  return (
    <div class="ten">
      <div class="pad" onKeyDown={(e) => { if (e.key === "Enter" && (e.target as HTMLElement).tagName === "CANVAS") add(); }}>
        <Canvas bits={bits} pen={pen} tool={tool} label={`Pad for example ${all.length + 1}; Enter adds it`} across={336}
          paint={(c) => paint(c, size, size, (i) => bitColour(paper, bits, i))}
          onDraw={(b, before) => { if (before) past.push(before); pad.set(b); }} onUndo={() => put(past.undo(pad.value))} onRedo={() => put(past.redo(pad.value))} onClear={clear} />
      </div>
      <div class="padtools">
        <button type="button" class="main" disabled={bits.ink() === 0} onClick={add}>Add example {all.length + 1}</button>
        <Tools tool={tool} onTool={setTool} pen={pen} onPen={setPen} canUndo={past.canUndo} canRedo={past.canRedo}
          onUndo={() => put(past.undo(pad.value))} onRedo={() => put(past.redo(pad.value))} onClear={clear} />
        <p class="fine">Draw the same letter each time, a little differently: {all.length} of {wanted} so far.</p>
      </div>
      <p class="hidden" role="status">{said.current}</p>
      <ul class="strip">
        {all.map((b, i) => (
          <li key={i}>
            <button type="button" class="tile remove" aria-label={`Remove example ${i + 1}`} title="Remove" onClick={() => remove(i)}>
              <Pixels height={size} width={size} label="" colour={(j) => bitColour(paper, b, j)} across={56} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
