import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { css, hue, readable, type RGB } from "./palette.ts";
import { paint } from "./paint.ts";

interface Props {
  height: number;
  width: number;
  /** Describes the picture for those who cannot see it; "" if the surrounding text does. */
  label: string;
  colour: (i: number) => RGB;
  /** Draws more on top, such as contours. */
  more?: (canvas: HTMLCanvasElement) => void;
  /** Called with the pixel under the pointer, null when it leaves. */
  onHover?: (pixel: number | null) => void;
  /** The minimum width in device pixels; the canvas takes the next multiple of the image's width. */
  across?: number;
}

/** A picture of height x width pixels that fills the available width. */
export function Pixels({ height, width, label, colour, more, onHover, across = 160 }: Props): JSX.Element {
  const ref = useRef<HTMLCanvasElement>(null), scale = Math.max(1, Math.ceil(across / width));
  useLayoutEffect(() => {
    const canvas = ref.current as HTMLCanvasElement;
    paint(canvas, height, width, colour);
    more?.(canvas);
  });
  const hover = onHover && ((e: PointerEvent) => onHover(pixelAt(e, height, width)));
  return (
    <canvas class="pixels" ref={ref} width={width * scale} height={height * scale} {...(label ? { role: "img", "aria-label": label } : { "aria-hidden": true })}
      onPointerMove={hover} onPointerDown={hover} onPointerLeave={onHover && (() => onHover(null))} />
  );
}

/** The index of the pixel of an image on a canvas under a pointer, or null outside. */
export function pixelAt(e: PointerEvent, height: number, width: number, canvas = e.currentTarget as HTMLElement): number | null {
  const box = canvas.getBoundingClientRect();
  const r = Math.floor(((e.clientY - box.top) / box.height) * height), c = Math.floor(((e.clientX - box.left) / box.width) * width);
  return r < 0 || c < 0 || r >= height || c >= width ? null : r * width + c;
}

/** The number of a part, from 1, on its colour. */
export function Badge({ expert, label }: { expert: number; label?: string }): JSX.Element {
  return (
    <span class="badge" style={{ backgroundColor: css(hue(expert)), color: readable(hue(expert)) }} {...(label ? { role: "img", "aria-label": label } : { "aria-hidden": true })}>
      {expert + 1}
    </span>
  );
}
