// The studio's HTTP API: its requests and answers have the types that the server describes (schema.ts).
import type { Backend } from "./backend.ts";
import type { Image } from "./bits.ts";
import { plain } from "./plain.ts";
import type * as schema from "./schema.ts";

export type {
  Column, Component, DataInfo as Data, ExpertColumn as Vote, ExpertInfo as Expert, JobInfo as Job, Labelled, ModelInfo as Model, Pick, Progress,
  FindAnswer as Found, Ground, OneFind, RuleInfo as Rule, Sample, ServerInfo as Server, WireImage,
} from "./schema.ts";

type Operations = schema.Operations;

/** An explanation with every step of the pursuit. */
export type Explained = schema.Row & { detail: schema.Detail };

/** How to learn, from data if they are there already. */
export type Wish = Omit<schema.LearnRequest, "data"> & { data?: string };

/** The request of an operation: parts of its path, its query, its body. */
export type Ask<K extends keyof Operations> = Omit<Operations[K], "answer">;
export type Answer<K extends keyof Operations> = Operations[K]["answer"];

/** Operations that answer with a file. */
type Files = { [K in keyof Operations]: Answer<K> extends Blob ? K : never }[keyof Operations];

/** Whether experts vote for off as well as for on. */
export function votesBothWays(model: schema.ModelInfo): boolean {
  return model.rule?.startsWith("max-minus-min") === true;
}

/** Whether experts may be shifted or turned. */
export function moves(model: schema.ModelInfo): boolean {
  return (model.poses?.count ?? model.places ?? 1) > 1;
}

/** An error of the server (RFC 9457). status 0: it did not answer. */
export class Problem extends Error {
  readonly status: number;
  /** Flags of a command line, each of which helps. */
  readonly fix: string[];

  constructor(status: number, message: string, fix: string[] = []) {
    super(message);
    this.status = status;
    this.fix = fix;
  }

  get offline(): boolean {
    return this.status === 0;
  }
}

/** The text of an error, for people: in the words of the page. */
export function words(error: unknown): string {
  return plain(error instanceof Error ? error.message : String(error));
}

const tokenKey = "patchwork-token";

/** The token in the address that the server printed, which is then neither shown there nor in the history; else the one that this tab has. */
function takeToken(): string {
  const [, token, rest] = /^#token=([^/]*)(.*)$/.exec(location.hash) ?? [];
  if (!token) return sessionStorage.getItem(tokenKey) ?? "";
  sessionStorage.setItem(tokenKey, token);
  history.replaceState(null, "", rest ? `#${rest}` : location.pathname);
  return token;
}

/** Talks to the server of the page, or to what stands for it. It reports when the server does not answer and when it requires a token. */
export class Api {
  onOffline: () => void = () => undefined;
  onToken: () => void = () => undefined;
  readonly backend: Backend;
  private token: string;

  constructor(backend: Backend) {
    this.backend = backend;
    this.token = takeToken();
    addEventListener("popstate", () => { // who opens the address of a server that was started again in the same tab
      if (location.hash.startsWith("#token=") && takeToken()) location.reload();
    });
  }

  setToken(token: string): void {
    this.token = token;
    sessionStorage.setItem(tokenKey, token);
  }

  /** Sends a request; a body that is not bytes goes as JSON. It throws a Problem. */
  async send<K extends keyof Operations>(operation: K, ask: Ask<K>): Promise<Response> {
    const [method, path] = operation.split(" "), { path: parts, query, body: content } = ask as Parts;
    const headers: Record<string, string> = {};
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    let body: Blob | FormData | string | undefined;
    if (content instanceof Blob) {
      body = content;
      headers["Content-Type"] = "application/octet-stream";
    } else if (content instanceof FormData) {
      body = content; // the browser writes the Content-Type, with its boundary
    } else if (content !== undefined || method === "POST") {
      body = JSON.stringify(content ?? {});
      headers["Content-Type"] = "application/json";
    }
    let response: Response;
    try {
      response = await this.backend.ask(method, addressOf(path, parts, query), { headers, body });
    } catch {
      this.onOffline();
      throw new Problem(0, "The server does not answer.");
    }
    if (response.ok) return response;
    if (response.status === 401) this.onToken();
    throw await problemOf(response);
  }

  async call<K extends keyof Operations>(operation: K, ask: Ask<K>): Promise<Answer<K>> {
    const response = await this.send(operation, ask);
    try {
      return (await response.json()) as Answer<K>;
    } catch {
      // The connection was lost in the middle of the answer.
      this.onOffline();
      throw new Problem(0, "The server does not answer.");
    }
  }

  async file<K extends Files>(operation: K, ask: Ask<K>): Promise<Blob> {
    return (await this.send(operation, ask)).blob();
  }

  server = () => this.call("GET /v1/server", {});
  models = async () => (await this.call("GET /v1/models", {})).models;
  data = async () => (await this.call("GET /v1/data", {})).data;
  experts = (id: string) => this.call("GET /v1/models/{id}/experts", { path: { id } });
  job = (id: string) => this.call("GET /v1/learn/{id}", { path: { id }, query: { progress: true } });
  learn = (body: schema.LearnRequest) => this.call("POST /v1/learn", { body });
  stop = (id: string) => this.call("POST /v1/learn/{id}/stop", { path: { id } });
  find = (page: Blob, query: Operations["POST /v1/find"]["query"]) => this.call("POST /v1/find", { query, body: page });
  examplePage = () => this.file("GET /v1/find/example", {});
  rules = async () => (await this.call("GET /v1/rules", {})).rules;
  compose = async (p: number[], q?: number) => (await this.call("GET /v1/rules/compose", { query: { p, ...(q === undefined ? {} : { q: [q] }) } })).rules;
  /** Images of a data set; for a model the columns of a table come in its order. */
  images = (id: string, from: number, n: number, model?: string) => this.call("GET /v1/data/{id}/images", { path: { id }, query: { from, n, ...(model ? { model } : {}) } });
  addModel = (file: File) => this.call("POST /v1/models", { query: { name: file.name }, body: file });
  /** Sends data: one file as it is, several with their paths as a form. */
  addData = (files: Sent[], name: string, how: Operations["POST /v1/data"]["query"] = {}) => {
    const query = { ...how, name };
    if (files.length === 1) return this.call("POST /v1/data", { query, body: files[0].file });
    const form = new FormData();
    for (const f of files) form.append("file", f.file, f.path);
    return this.call("POST /v1/data", { query, body: form });
  };
  /** Rows by the text of their names. */
  rows = (id: string, search: string) => this.call("GET /v1/data/{id}/images", { path: { id }, query: { search, n: 20 } });
  removeModel = (id: string) => this.send("DELETE /v1/models/{id}", { path: { id } });
  removeData = (id: string) => this.send("DELETE /v1/data/{id}", { path: { id } });

  /** Explains one image, with every step of the pursuit. */
  async explain(model: string, image: schema.WireImage, predict = false): Promise<Explained> {
    const answer = await this.call("POST /v1/explain", { body: { model, images: [image], detail: true, predict } });
    return answer.rows[0] as Explained;
  }

  /** Names one image by examples of classes, and says why. */
  async classify(classes: { name: string; images: Image[] }[], image: Image): Promise<schema.Classified & { classes: string[] }> {
    const answer = await this.call("POST /v1/classify", { body: { classes, images: [image] } });
    return { ...answer.images[0], classes: answer.classes };
  }

  async sample(model: string, n: number, seed: number, along: number[] | null, noise: boolean): Promise<schema.Sample[]> {
    return (await this.call("POST /v1/sample", { body: { model, n, seed, noise, ...(along ? { along } : {}) } })).samples;
  }
}

/** A file with its path in the folder it was chosen from. */
export interface Sent {
  file: File;
  path: string;
}

interface Parts {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** The address of an operation, relative to the page: {id} filled in, and the query, where a list is a parameter several times. */
function addressOf(path: string, parts: Parts["path"] = {}, query: Parts["query"] = {}): string {
  const address = path.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name]));
  const all = Object.entries(query).flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((v) => [name, String(v)]));
  return all.length > 0 ? `${address}?${new URLSearchParams(all)}` : address;
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    const p = (await response.json()) as Partial<schema.ProblemError>;
    return new Problem(response.status, p.detail || p.title || response.statusText, p.fix);
  } catch {
    return new Problem(response.status, response.statusText || `status ${response.status}`);
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
