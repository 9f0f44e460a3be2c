// What the fragment of an address says: #/rows?model=m1&data=d1&row=12&part=3, rows from 1.

export const views = ["start", "experts", "learn", "draw", "rows", "classes", "find", "rules", "sample"] as const;
export type View = (typeof views)[number];

/** The data set of an address that is none: examples that are drawn. */
export const drawings = "drawings";

/**
 * The data set with which Learn begins where the address names none: people's own that the model is of, that of a table's model, else the
 * one that the server was started with; null for examples to draw. fits are the sets that fit the model.
 */
export function atHand<T extends { id: string; fixed: boolean }>(model: { table: boolean; source: string } | null, sets: T[], fits: T[]): T | null {
  const own = (d: T) => /^d\d+$/.test(d.id), builtin = model?.source === "built-in";
  return (model && ((!builtin && fits.findLast(own)) || (model.table && fits[0]))) || sets.find((d) => own(d) && d.fixed) || null;
}

/** What an address says. The fields that it leaves out stay as they are, but no part is open. */
export interface Place {
  view?: View;
  model?: string;
  data?: string;
  row?: number;
  part?: number;
}

/** Which fields the address of a view has. */
const shown: Record<View, readonly string[]> = {
  start: [], draw: ["model", "data", "row"], experts: ["model", "data", "part"], sample: ["model"], learn: ["data"], classes: [], rules: [], find: [],
  rows: ["model", "data", "row", "part"],
};

/** Reads the fragment of an address; what makes no sense is left out. */
export function parse(hash: string): Place {
  const [name, query] = hash.replace(/^#\/?/, "").split("?"), q = new URLSearchParams(query), out: Place = {};
  if ((views as readonly string[]).includes(name)) out.view = name as View;
  const whole = (key: string) => (/^\d{1,9}$/.test(q.get(key) ?? "") ? Number(q.get(key)) : undefined);
  out.model = q.get("model") ?? undefined;
  out.data = q.get("data") ?? undefined;
  const k = whole("part"), n = whole("row");
  if (k) out.part = k - 1;
  if (n) out.row = n - 1;
  return out;
}

/** The fragment of an address; the inverse of parse, for the fields that the view has. */
export function format(p: Place): string {
  const at = p.view ?? "start", q = new URLSearchParams();
  const put = (key: string, value: string | number | undefined) => shown[at].includes(key) && value !== undefined && value !== "" && q.set(key, String(value));
  put("model", p.model);
  put("data", p.data);
  if (p.data) put("row", p.row === undefined ? undefined : p.row + 1);
  put("part", p.part === undefined ? undefined : p.part + 1);
  return `#/${at}${q.size ? `?${q}` : ""}`;
}
