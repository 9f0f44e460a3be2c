import { OFF, ON, UNKNOWN, type Bits } from "./bits.ts";

/**
 * What stays unexplained, pixel by pixel, and how much. Where experts speak for ink only: kind 1 is ink that is less likely
 * than not, 2 paper where ink is expected. Where they vote both ways: kind 1 contradicts them, 2 is left to chance, nobody speaks.
 */
export interface LeftOver {
  both: boolean;
  kind: Uint8Array;
  first: number;
  second: number;
}

/** The pixels of an image that a composed template p leaves unexplained; speaker is -1 where no pick votes. */
export function leftOver(b: Bits, layer: { p: Float32Array; speaker: Int16Array }, both: boolean): LeftOver {
  const out: LeftOver = { both, kind: new Uint8Array(layer.p.length), first: 0, second: 0 };
  layer.p.forEach((p, i) => {
    const c = b.cells[i], wrong = (c === ON && p < 0.5) || (c === OFF && p > 0.5);
    if (both ? wrong : wrong && c === ON) {
      out.kind[i] = 1;
      out.first++;
    } else if (c !== UNKNOWN && (both ? layer.speaker[i] < 0 : wrong)) {
      out.kind[i] = 2;
      out.second++;
    }
  });
  return out;
}
