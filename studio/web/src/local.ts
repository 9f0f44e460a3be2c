// The studio in a worker of the page, for a page without a server: studio/static writes what it needs, studio/wasm is at the
// other end.
import type { Backend, Said } from "./backend.ts";

/** What a page without a server brings along: the program of the worker, the studio and its vector code as WebAssembly, a character for each byte, and built-in models, likewise. */
export interface Core {
  program: string;
  studio: string;
  simd: string;
  models: Record<string, string>;
}

/** A message of the worker: that it is ready, or an answer. */
interface Message {
  ready?: true;
  id: number;
  status: number;
  header: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
}

interface Waiting {
  done: (answer: Response) => void;
  fail: (error: Error) => void;
}

/** The core of this page, if it has one. */
export const core = (globalThis as { patchworkCore?: Core }).patchworkCore;

function tell(worker: Worker, message: unknown): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker is of this page and of no other
  worker.postMessage(message);
}

/** The bytes of a text that has a character for each. */
export function bytesFrom(text: string): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(text.length);
  for (let i = 0; i < out.length; i++) out[i] = text.charCodeAt(i);
  return out;
}

/** A backend in a worker. It starts with the first request, and again with the next one when it has failed. */
export class Local implements Backend {
  readonly here = true;
  private readonly core: Core;
  private worker: Promise<Worker> | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private next = 0;

  constructor(own: Core) {
    this.core = own;
  }

  async ask(method: string, address: string, said: Said): Promise<Response> {
    const url = new URL(address, "http://page/"), path = decodeURIComponent(url.pathname);
    if (path.endsWith("/gallery.png")) return pngOf(await this.ask(method, address.replace(/\.png$/, ".svg"), said));
    const worker = await this.start(), id = this.next++, message = { id, method, path, query: [...url.searchParams], kind: said.headers["Content-Type"] ?? "", ...(await content(said.body)) };
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail });
      tell(worker, message);
    });
  }

  async awake(): Promise<boolean> {
    await this.start();
    return true;
  }

  private start(): Promise<Worker> {
    this.worker ??= new Promise((ready, failed) => {
      const worker = new Worker(URL.createObjectURL(new Blob([this.core.program], { type: "text/javascript" })));
      worker.onmessage = ({ data }: MessageEvent<Message>) => {
        if (data.ready) ready(worker);
        else this.heard(data);
      };
      worker.onerror = (e) => {
        const gone = new Error(e.message || "the worker of this page has stopped");
        failed(gone);
        worker.terminate();
        this.worker = null;
        for (const w of this.waiting.values()) w.fail(gone);
        this.waiting.clear();
      };
      tell(worker, { studio: bytesFrom(this.core.studio), simd: bytesFrom(this.core.simd), models: Object.fromEntries(Object.entries(this.core.models).map(([id, text]) => [id, bytesFrom(text)])) });
    });
    return this.worker;
  }

  private heard(m: Message): void {
    this.waiting.get(m.id)?.done(new Response(m.status === 204 ? null : m.body, { status: m.status, headers: m.header }));
    this.waiting.delete(m.id);
  }
}

/** The body of a request, in the form of a message. */
async function content(body: Said["body"]): Promise<{ body?: Uint8Array; files?: { path: string; content: Uint8Array }[] }> {
  const bytes = async (b: Blob) => new Uint8Array(await b.arrayBuffer());
  if (body instanceof FormData) return { files: await Promise.all([...body.values()].filter((f) => f instanceof File).map(async (f) => ({ path: f.name, content: await bytes(f) }))) };
  if (body instanceof Blob) return { body: await bytes(body) };
  return body === undefined ? {} : { body: new TextEncoder().encode(body) };
}

/** A picture as PNG: the worker has no fonts, this page has. */
async function pngOf(svg: Response): Promise<Response> {
  if (!svg.ok) return svg;
  const url = URL.createObjectURL(await svg.blob()), image = new Image();
  try {
    image.src = url;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.naturalWidth, height: image.naturalHeight });
    canvas.getContext("2d")?.drawImage(image, 0, 0);
    return new Response(await new Promise<Blob | null>((done) => canvas.toBlob(done)), { headers: { "Content-Type": "image/png" } });
  } finally {
    URL.revokeObjectURL(url);
  }
}
