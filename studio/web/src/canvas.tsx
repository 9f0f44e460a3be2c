import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Bits, drawLine, OFF, ON, UNKNOWN, type Point } from "./bits.ts";
import { pixelAt } from "./pixels.tsx";

/** What the pen makes of pixels: ink, paper, or unknown. */
export type Tool = "pen" | "eraser" | "unknown";

const values: Record<Tool, number> = { pen: ON, eraser: OFF, unknown: UNKNOWN };

interface Props {
  bits: Bits;
  pen: number;
  tool: Tool;
  label: string;
  paint: (canvas: HTMLCanvasElement) => void;
  /** Called when the drawing changes; before is given only at the beginning of a stroke, for undo. */
  onDraw: (bits: Bits, before: Bits | null) => void;
  onStroke?: () => void;
  onHover?: (pixel: number | null) => void;
  onUndo: () => void;
  onRedo: () => void;
  onClear: () => void;
  across?: number;
}

const keysHelp = "Arrow keys move the pen (with shift by five), space puts it down and lifts it, E erases while down, U makes unknown while down, Escape lifts it, Control Z undoes, Delete clears.";

/** A canvas to draw on by pointer, finger or keyboard, at the resolution of its bits. */
export function Canvas(props: Props): JSX.Element {
  const { bits, pen, tool, label, paint, onDraw, onStroke, onHover } = props;
  const ref = useRef<HTMLCanvasElement>(null), last = useRef<Point | null>(null), now = useRef(bits);
  const using = useRef<Tool>("pen");
  const [cursor, setCursor] = useState<{ y: number; x: number; down: "" | Tool } | null>(null);
  now.current = bits;
  const scale = Math.max(1, Math.round((props.across ?? 672) / bits.width));
  useLayoutEffect(() => {
    const canvas = ref.current as HTMLCanvasElement;
    paint(canvas);
    if (cursor) mark(canvas, bits, cursor, pen);
  });

  const draw = (points: Point[], value: number, first: boolean) => {
    const before = now.current, next = before.copy();
    let from = last.current ?? points[0];
    for (const p of points) {
      drawLine(next, from, p, value === ON ? pen : pen * 1.6, value);
      from = p;
    }
    last.current = from;
    now.current = next;
    onDraw(next, first ? before : null);
  };
  const at = (e: PointerEvent): Point => {
    const box = (ref.current as HTMLElement).getBoundingClientRect();
    return { y: ((e.clientY - box.top) / box.height) * bits.height, x: ((e.clientX - box.left) / box.width) * bits.width };
  };
  const down = (e: PointerEvent) => {
    if (e.button > 0 && e.button !== 2 && e.button !== 5) return;
    (ref.current as HTMLElement).setPointerCapture(e.pointerId);
    using.current = e.button === 0 ? tool : "eraser"; // the right button and the eraser end of a stylus erase
    last.current = null;
    setCursor(null);
    draw([at(e)], values[using.current], true);
  };
  const move = (e: PointerEvent) => {
    if (last.current) {
      const all = e.getCoalescedEvents?.() ?? [];
      draw((all.length ? all : [e]).map(at), values[using.current], false);
    }
    onHover?.(pixelAt(e, bits.height, bits.width));
  };
  const up = () => {
    if (!last.current) return;
    last.current = null;
    onStroke?.();
  };
  const key = (e: KeyboardEvent) => {
    const c = cursor ?? { y: bits.height / 2, x: bits.width / 2, down: "" as const }, far = e.shiftKey ? 5 : 1;
    const step = { ArrowUp: [-far, 0], ArrowDown: [far, 0], ArrowLeft: [0, -far], ArrowRight: [0, far] }[e.key];
    const control = e.ctrlKey || e.metaKey;
    if (step && !control) {
      const to = { y: clamp(c.y + step[0], bits.height), x: clamp(c.x + step[1], bits.width), down: c.down };
      setCursor(to);
      onHover?.(Math.floor(to.y) * bits.width + Math.floor(to.x));
      if (c.down) {
        last.current = c;
        draw([to], values[c.down], false);
        last.current = null;
      }
    } else if (tools[e.key.toLowerCase()] && !control) {
      const use = e.key === " " ? tool : (tools[e.key.toLowerCase()] as Tool);
      setCursor({ ...c, down: c.down ? "" : use });
      if (!c.down) draw([c], values[use], true);
      last.current = null;
      if (c.down) onStroke?.();
    } else if (e.key === "Escape") setCursor({ ...c, down: "" });
    else if (control && e.key.toLowerCase() === "z") (e.shiftKey ? props.onRedo : props.onUndo)();
    else if (control && e.key.toLowerCase() === "y") props.onRedo();
    else if (e.key === "Delete") props.onClear();
    else return;
    e.preventDefault();
  };
  return (
    <canvas class="pixels paper" ref={ref} width={bits.width * scale} height={bits.height * scale} tabIndex={0} role="application"
      aria-roledescription="drawing area" aria-label={`${label}. ${keysHelp}`}
      onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerCancel={up} onPointerLeave={() => onHover?.(null)}
      onContextMenu={(e) => e.preventDefault()} onKeyDown={key} onBlur={() => { setCursor(null); onHover?.(null); }} />
  );
}

/** The keys that put the pen down, and what it makes; blank uses the chosen tool. */
const tools: Record<string, Tool | undefined> = { " ": "pen", e: "eraser", u: "unknown" };

function clamp(v: number, n: number): number {
  return Math.min(n - 0.5, Math.max(0.5, v));
}

/** Draws the keyboard's pen: a ring, filled while it is down. */
function mark(canvas: HTMLCanvasElement, bits: Bits, c: { y: number; x: number; down: string }, pen: number): void {
  const g = canvas.getContext("2d") as CanvasRenderingContext2D, unit = canvas.width / bits.width;
  for (const [colour, width] of [["#fff", 5], ["#000", 2]] as const) {
    g.beginPath();
    g.arc(c.x * unit, c.y * unit, Math.max(1, pen / 2) * unit, 0, 2 * Math.PI);
    g.lineWidth = width;
    g.setLineDash(c.down ? [] : [6, 4]);
    g.strokeStyle = colour;
    g.stroke();
  }
  g.setLineDash([]);
}

/** The buttons that go with a canvas. */
export function Tools(props: {
  tool: Tool;
  onTool: (tool: Tool) => void;
  /** Whether there is a pen for unknown pixels. */
  unknown?: boolean;
  pen: number;
  onPen: (pen: number) => void;
  canUndo: boolean;
  canRedo: boolean;
  onUndo: () => void;
  onRedo: () => void;
  onClear: () => void;
}): JSX.Element {
  const { tool, onTool } = props, choose = (t: Tool, title: string) => <button type="button" aria-pressed={tool === t} onClick={() => onTool(t)}>{title}</button>;
  return (
    <div class="tools" role="group" aria-label="Drawing tools">
      <span class="segment">
        {choose("pen", "Pen")}
        {choose("eraser", "Eraser")}
        {props.unknown && choose("unknown", "Unknown")}
      </span>
      <span class="segment">
        <button type="button" disabled={!props.canUndo} onClick={props.onUndo}>Undo</button>
        <button type="button" disabled={!props.canRedo} onClick={props.onRedo}>Redo</button>
      </span>
      <button type="button" onClick={props.onClear}>Clear</button>
      <label class="inline">
        Width
        <input type="range" min="1" max="10" step="0.5" value={props.pen} onInput={(e) => props.onPen(e.currentTarget.valueAsNumber)} />
      </label>
    </div>
  );
}
