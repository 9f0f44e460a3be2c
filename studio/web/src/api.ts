// The studio's HTTP API, as openapi.json describes it.
import type { Image } from "./bits.ts";
import type { Pick } from "./compose.ts";
import { eventsOf, type ServerEvent } from "./sse.ts";

export interface Server {
  version: string;
  token_required: boolean;
  learn: boolean;
  upload: boolean;
  /** false while the built-in models are being learned */
  ready: boolean;
  limits: Record<string, number>;
}

export interface Pose {
  dy: number;
  dx: number;
  angle: number;
}

export interface Component {
  deviation: number;
  moves: (Pose & { expert: number })[];
}

export interface Model {
  id: string;
  name: string;
  source: string;
  rule: string;
  q: number;
  height: number;
  width: number;
  experts: number;
  shift: number;
  rotations: number[];
  columns: string[] | null;
  rows: number | null;
  table: boolean;
  geometry: { components: Component[] } | null;
  command: string | null;
}

/** Whether experts vote for off as well as for on. */
export function votesBothWays(model: Model): boolean {
  return model.rule.startsWith("max-minus-min");
}

/** Whether experts may be shifted or turned. */
export function moves(model: Model): boolean {
  return model.shift > 0 || model.rotations.length > 1;
}

export interface Expert {
  index: number;
  template: string;
  abstains: number;
  usage: number | null;
  pose: Pose | null;
  elongation: number;
  columns: { name: string; index: number; p: number; q: number }[] | null;
}

export interface Detail {
  height: number;
  width: number;
  start: string;
  steps: { p: string; votes: string; log_lik: number | null }[];
  speakers: string;
  unexplained: string;
}

export interface Explanation {
  index: number;
  start_log_lik: number | null;
  log_lik: number | null;
  picks: Pick[];
  detail?: Detail;
  predicted?: { pixel: number; p: number }[];
}

export interface Example extends Image {
  index: number;
  gain: number | null;
  labels?: Record<string, string>;
  explanation: Explanation;
}

export interface Sample {
  picks: Pick[];
  p: string;
  bits: string;
}

export interface Data {
  id: string;
  name: string;
  n: number;
  height: number;
  width: number;
  table: boolean;
  columns: string[] | null;
  labels: Record<string, { values: string[]; distinct: number }>;
}

export interface Labelled extends Image {
  index: number;
  labels?: Record<string, string>;
}

export interface Job {
  id: string;
  name: string;
  state: "queued" | "running" | "done" | "stopped" | "failed" | "cancelled";
  trial: number;
  trials: number;
  iteration: number;
  score: number | null;
  best: number | null;
  model: string | null;
  /** null if no command line makes the same model, because learning was stopped in the middle of a start */
  command: string | null;
  error?: string;
  data: string;
  images: number;
}

export interface Progress {
  trial: number;
  trials: number;
  stage: string;
  iteration: number;
  score: number | null;
  best: number | null;
  height: number;
  width: number;
  templates: string[];
}

export interface Rule {
  name: string;
  title: string;
  formula: string;
  symmetric: boolean;
}

export interface Surface {
  points: number;
  loglik: string;
  maxima: { x: number; y: number; loglik: number }[];
  gradient: { points: number; dx: string; dy: string };
}

/** An error of the server (RFC 9457). status 0: it did not answer. */
export class Problem extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  get offline(): boolean {
    return this.status === 0;
  }
}

/** The text of an error, for people. */
export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const tokenKey = "patchwork-token";

/** Talks to the server of the page. It reports when the server does not answer and when it requires a token. */
export class Api {
  onOffline: () => void = () => undefined;
  onToken: () => void = () => undefined;
  private token: string;

  constructor() {
    this.token = sessionStorage.getItem(tokenKey) ?? "";
  }

  setToken(token: string): void {
    this.token = token;
    sessionStorage.setItem(tokenKey, token);
  }

  /** A request; a body that is neither text nor bytes goes as JSON. It throws a Problem. */
  async fetch(path: string, init: { method?: string; body?: unknown; type?: string; signal?: AbortSignal } = {}): Promise<Response> {
    const headers: Record<string, string> = {};
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    let body: BodyInit | undefined;
    if (init.body instanceof Blob) {
      body = init.body;
      headers["Content-Type"] = init.type ?? "application/octet-stream";
    } else if (init.body !== undefined) {
      body = JSON.stringify(init.body);
      headers["Content-Type"] = "application/json";
    }
    let response: Response;
    try {
      response = await fetch(path, { method: init.method ?? (body === undefined ? "GET" : "POST"), headers, body, signal: init.signal });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      this.onOffline();
      throw new Problem(0, "The server does not answer.");
    }
    if (response.ok) return response;
    if (response.status === 401) this.onToken();
    throw new Problem(response.status, await problemText(response));
  }

  async json<T>(path: string, body?: unknown, method?: string): Promise<T> {
    const response = await this.fetch(path, { body, method });
    try {
      return (await response.json()) as T;
    } catch {
      // The connection was lost in the middle of the answer.
      this.onOffline();
      throw new Problem(0, "The server does not answer.");
    }
  }

  server = () => this.json<Server>("v1/server");
  models = async () => (await this.json<{ models: Model[] }>("v1/models")).models;
  data = async () => (await this.json<{ data: Data[] }>("v1/data")).data;
  experts = async (model: string) => (await this.json<{ experts: Expert[] }>(`v1/models/${model}/experts`)).experts;
  job = (id: string) => this.json<Job>(`v1/learn/${id}`);
  stop = (id: string) => this.json<Job>(`v1/learn/${id}/stop`, {});
  rules = async () => (await this.json<{ rules: Rule[] }>("v1/rules")).rules;

  images(data: string, from: number, n: number, where: string[] = []): Promise<{ images: Labelled[]; total: number }> {
    const query = new URLSearchParams({ from: String(from), n: String(n) });
    for (const w of where) query.append("where", w);
    return this.json(`v1/data/${data}/images?${query}`);
  }

  examples(model: string, expert: number, data: string, n: number): Promise<{ best: Example[]; worst: Example[] }> {
    return this.json(`v1/models/${model}/experts/${expert}/examples?${new URLSearchParams({ data, n: String(n) })}`);
  }

  async explain(model: string, image: Image, predict = false): Promise<Explanation & { detail: Detail }> {
    const answer = await this.json<{ explanations: (Explanation & { detail: Detail })[] }>("v1/explain", { model, images: [image], detail: true, predict });
    return answer.explanations[0];
  }

  async sample(model: string, n: number, seed: number, along: number[] | null, noise: boolean): Promise<Sample[]> {
    return (await this.json<{ samples: Sample[] }>("v1/sample", { model, n, seed, noise, ...(along ? { along } : {}) })).samples;
  }

  async upload<T>(what: "models" | "data", file: File): Promise<T> {
    const response = await this.fetch(`v1/${what}?${new URLSearchParams({ name: file.name })}`, { method: "POST", body: file });
    return (await response.json()) as T;
  }

  async blob(path: string): Promise<Blob> {
    return (await this.fetch(path)).blob();
  }

  async *events(path: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
    yield* eventsOf(await this.fetch(path, { signal }));
  }
}

async function problemText(response: Response): Promise<string> {
  try {
    const p = (await response.json()) as { title?: string; detail?: string };
    return p.detail || p.title || response.statusText;
  } catch {
    return response.statusText || `status ${response.status}`;
  }
}

/** Saves a file by the browser's own download. */
export function download(blob: Blob, name: string): void {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}
