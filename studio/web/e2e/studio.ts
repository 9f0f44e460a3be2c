// What the end-to-end tests stand on: the real server, a real Chromium, and a folder for screenshots.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

const root = resolve(process.cwd(), "../..");
export const scratch = mkdtempSync(join(tmpdir(), "studio-e2e-"));
/** Where screenshots go: the folder in SCREENSHOTS; "" for none, which saves a quarter of the time. */
export const pictures = process.env.SCREENSHOTS ?? "";
if (pictures) mkdirSync(pictures, { recursive: true });

/** The colours in which every view and report is looked at; in .ci/nightly dark, too. */
export const schemes: ("light" | "dark")[] = process.env.PATCHWORK_LONG === "1" ? ["light", "dark"] : ["light"];

/** The program under test: the one in PATCHWORK, or built now. */
export const program = process.env.PATCHWORK ? resolve(process.env.PATCHWORK) : build();

function build(): string {
  const out = join(scratch, "patchwork");
  execFileSync("go", ["build", "-o", out, "./cmd/patchwork"], { cwd: root, stdio: "inherit" });
  return out;
}

/** Runs patchwork to its end in the scratch folder and gives what it printed; it throws when the exit code is not 0. */
export function patchwork(...args: string[]): string {
  return execFileSync(program, args, { cwd: scratch, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

export function scratchFile(name: string, content: string | Uint8Array): string {
  const path = join(scratch, name);
  writeFileSync(path, content);
  return path;
}

/** Whether the page without a server is tested, from disk, and not a server. */
export const here = process.env.BACKEND === "page";
/** The option of a test that is about a server, or about what outlives a visit. */
export const serverOnly = { skip: here && "the page without a server keeps nothing from one visit to the next" };

/** The folder of the page without a server: the one in STATIC_PAGE, or written now. */
export function staticPage(): string {
  if (process.env.STATIC_PAGE) return resolve(process.env.STATIC_PAGE);
  const out = join(scratch, "static");
  execFileSync("go", ["run", "./studio/static", "-o", out], { cwd: root, stdio: "inherit" });
  return out;
}

/** The page without a server, in the place of a server. */
export class OnDisk {
  url = "";
  start(): Promise<void> {
    this.url = pathToFileURL(staticPage()).href;
    return Promise.resolve();
  }
  kill(): Promise<void> {
    return Promise.resolve();
  }
}

/** A running server. */
export class Studio {
  url = "";
  /** The address that the server printed. */
  printed = "";
  private child: ChildProcess | null = null;
  private readonly args: string[];
  private token = false;

  constructor(...args: string[]) {
    this.args = args;
  }

  /** A server that asks for a token: its own, or the one in PATCHWORK_TOKEN. */
  static guarded(...args: string[]): Studio {
    const guarded = new Studio(...args);
    guarded.token = true;
    return guarded;
  }

  /** Starts the server, the second time at the address of the first, and waits until it is ready. */
  async start(): Promise<void> {
    const at = this.url ? new URL(this.url).host : "127.0.0.1:0";
    const child = spawn(program, ["serve", "--addr", at, ...(this.token ? [] : ["--no-token"]), ...this.args], { cwd: scratch, stdio: ["ignore", "pipe", "pipe"] });
    this.child = child;
    this.url = await new Promise<string>((found, failed) => {
      let said = "";
      for (const stream of [child.stdout, child.stderr]) {
        createInterface(stream).on("line", (line) => {
          said += line + "\n";
          const address = /http:\/\/[\w.:[\]]+/.exec(line);
          if (!address) return;
          this.printed ||= line.slice(address.index);
          found(address[0]);
        });
      }
      child.once("exit", (code) => failed(new Error(`patchwork serve ended with ${code}:\n${said}`)));
    });
    for (const begun = Date.now(); Date.now() - begun < 60_000; await new Promise((r) => setTimeout(r, 25))) {
      if ((await fetch(`${this.url}/readyz`)).ok) return;
    }
    throw new Error(`${this.url} was not ready after a minute`);
  }

  async kill(): Promise<void> {
    const child = this.child;
    if (!child) return;
    this.child = null;
    const gone = new Promise((r) => child.once("exit", r));
    child.kill("SIGKILL");
    await gone;
  }
}

const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export async function browser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  if (!existsSync(executablePath)) throw new Error(`no browser at ${executablePath}; install chromium, or name one in CHROMIUM`);
  return chromium.launch({ executablePath, args: flags }); // with a user data folder of its own, deleted at the end
}

/** What went wrong in a page that no assertion looks for: errors, blocked content, requests to elsewhere. */
export interface Watched {
  page: Page;
  trouble: string[];
}

const pages = new Map<string, Page>();

/**
 * An empty page; dark, phone and the like by options. One with the same options that a test has left is taken again: to make
 * another costs more than all that most tests do in it.
 */
export async function newPage(b: Browser, options: BrowserContextOptions): Promise<Page> {
  const key = JSON.stringify(options), kept = pages.get(key);
  if (kept && !kept.isClosed()) {
    kept.removeAllListeners();
    await kept.emulateMedia({ media: null });
    if (options.viewport) await kept.setViewportSize(options.viewport);
    return kept;
  }
  const page = await (await b.newContext(options)).newPage();
  page.setDefaultTimeout(here ? 180_000 : 15_000);
  await keepDrawn(page);
  pages.set(key, page);
  return page;
}

/**
 * Makes the browser draw a page for which it has ended to draw. Clicks and scrolling wait for animation frames; once, in some hundred runs, an
 * element that did not move was waited for until the test ended, "to be stable". Whether there are frames is asked every five seconds. If there
 * are none, the log says so, and a screenshot asks for one.
 */
async function keepDrawn(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page), seconds = 3;
  const frame = (wait: number) => new Promise<boolean>((tell) => {
    setTimeout(() => tell(false), wait);
    requestAnimationFrame(() => tell(true));
  });
  const look = async () => {
    if (page.isClosed() || await page.evaluate(frame, seconds * 1000)) return;
    console.log(`# ${page.url()}: no frame for ${seconds} s, so a screenshot is taken`);
    await session.send("Page.captureScreenshot", { format: "jpeg" });
    console.log(`# a frame after it: ${await page.evaluate(frame, seconds * 1000)}`);
  };
  const again = () => void setTimeout(() => void look().catch(() => undefined).then(again), 5000).unref(); // a page that is being left cannot tell
  again();
}

/** Opens a view as on a first visit. */
export async function visit(b: Browser, url: string, view: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const page = await newPage(b, { viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", acceptDownloads: true, ...options }), trouble: string[] = [];
  await page.goto(`${url}/licenses.txt`); // where what visits before have left is forgotten
  await page.evaluate(() => { localStorage.clear(); sessionStorage.clear(); });
  page.on("pageerror", (e) => trouble.push(`error: ${e.message}`));
  page.on("console", (m) => {
    if (m.type() === "error" && !/Failed to load resource/.test(m.text())) trouble.push(`console: ${m.text()}`);
  });
  page.on("request", (r) => {
    if (!r.url().startsWith(url) && !/^(blob|data):/.test(r.url())) trouble.push(`request to ${r.url()}`);
  });
  await page.goto(`${url}/index.html#/${view}`);
  return { page, trouble };
}

export async function shot(page: Page, name: string, fullPage = false): Promise<void> {
  if (!pictures) return;
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage });
}

/** A stroke with the mouse over an element, points in shares of its box. */
export async function stroke(page: Page, selector: string, points: [number, number][]): Promise<void> {
  await page.locator(selector).hover(); // waits until the element rests: what was clicked before may still be moving the page
  const box = await page.locator(selector).boundingBox();
  if (!box) throw new Error(`${selector} is not on the page`);
  const at = ([x, y]: [number, number]) => [box.x + x * box.width, box.y + y * box.height] as const;
  await page.mouse.move(...at(points[0]));
  await page.mouse.down();
  for (const p of points.slice(1)) await page.mouse.move(...at(p), { steps: 4 });
  await page.mouse.up();
}
