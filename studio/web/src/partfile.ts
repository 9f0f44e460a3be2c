// A part as a file: CSV, and a picture.
import type { Model } from "./api.ts";
import type { Known } from "./experts.tsx";
import { percent } from "./format.ts";
import { column } from "./names.ts";
import { probability } from "./paint.ts";
import { css, hue, lightPaper } from "./palette.ts";

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A part as CSV: for a table a line for each column, with the probability with the part and without; else the template. */
export function csvOf(model: Pick<Model, "table" | "width" | "height"> & { columns?: string[] | null }, expert: Pick<Known, "template" | "columns">): string {
  const digits = (v: number) => String(Number(v.toPrecision(6)));
  if (!model.table) {
    const rows = Array.from({ length: model.height }, (_, r) => Array.from(expert.template.slice(r * model.width, (r + 1) * model.width), digits).join(","));
    return `${rows.join("\n")}\n`;
  }
  const without = new Map(expert.columns?.map((c) => [c.index, c.q]));
  const lines = Array.from(expert.template, (p, i) => `${quoted(column(model, i))},${digits(p)},${digits(without.get(i) ?? p)},${without.has(i) ? 1 : 0}`);
  return `column,probability,without,votes\n${lines.join("\n")}\n`;
}

/** The most columns that a picture shows. */
const most = 200;

/** A part as a picture, PNG: the template, or for a table its columns as bars. */
export async function pictureOf(model: Model, expert: Known, name: string, both: boolean): Promise<Blob> {
  const canvas = model.table ? bars(expert, name) : template(model, expert, both);
  return canvas.convertToBlob({ type: "image/png" });
}

function template(model: Model, expert: Known, both: boolean): OffscreenCanvas {
  const scale = Math.max(1, Math.floor(896 / Math.max(model.width, model.height))), canvas = new OffscreenCanvas(model.width * scale, model.height * scale);
  const g = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D, colour = probability(lightPaper, both, model.q);
  expert.template.forEach((p, i) => {
    g.fillStyle = css(colour(p));
    g.fillRect((i % model.width) * scale, Math.floor(i / model.width) * scale, scale, scale);
  });
  return canvas;
}

function bars(expert: Known, name: string): OffscreenCanvas {
  const all = expert.columns ?? [], columns = all.slice(0, most), font = "15px system-ui, sans-serif", line = 28, top = 56;
  const measure = new OffscreenCanvas(1, 1).getContext("2d") as OffscreenCanvasRenderingContext2D;
  measure.font = font;
  const left = 40 + Math.max(120, ...columns.map((c) => measure.measureText(c.name).width)), title = "600 18px system-ui, sans-serif";
  measure.font = title;
  const width = Math.max(left + 400, 40 + measure.measureText(name).width);
  const canvas = new OffscreenCanvas(Math.ceil(2 * width), 2 * (top + line * Math.max(1, columns.length) + (all.length > most ? line : 0) + 16)), g = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
  g.scale(2, 2);
  g.fillStyle = "#fff";
  g.fillRect(0, 0, canvas.width, canvas.height);
  g.fillStyle = "#1d1f23";
  g.font = title;
  g.fillText(name, 20, 34);
  g.font = font;
  columns.forEach((c, i) => {
    const y = top + line * i, at = (p: number) => left + 300 * p;
    g.fillStyle = "#1d1f23";
    g.fillText(c.name, 20, y + 14);
    g.fillText(percent(c.p), left + 316, y + 14);
    g.fillStyle = "#f1eee7";
    g.fillRect(left, y, 300, 16);
    g.fillStyle = css(hue(expert.index));
    g.globalAlpha = c.p >= c.q ? 1 : 0.35; // a vote against
    g.fillRect(Math.min(at(c.p), at(c.q)), y, Math.abs(at(c.p) - at(c.q)), 16);
    g.globalAlpha = 1;
    g.fillStyle = "#1d1f23";
    g.fillRect(at(c.q) - 0.5, y - 3, 1, 22);
  });
  if (all.length > most) g.fillText(`and ${all.length - most} more columns`, 20, top + line * most + 14);
  return canvas;
}
