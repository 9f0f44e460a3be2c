// A learning run and its state on the page. It survives changes of view and short losses of the connection.
import { words, Problem, type Job, type Progress, type Wish } from "./api.ts";
import { Bits } from "./bits.ts";
import { floatsOf } from "./decode.ts";
import { api, Cell, refresh, home } from "./store.ts";

/** The current templates, and all scores so far by trial. */
export interface Live {
  height: number;
  width: number;
  /** Whether experts vote for off as well as for on. */
  both: boolean;
  trial: number;
  trials: number;
  stage: string;
  iteration: number;
  /** What the scores are: "log-likelihood per pixel". */
  unit: string;
  templates: Float32Array[];
  scores: { trial: number; score: number }[];
  best: number | null;
}

export const drawn = new Cell<Bits[]>([]);
export const job = new Cell<Job | null>(null);
export const live = new Cell<Live | null>(null);
export const wrong = new Cell("");
/** Flags of a command line, each of which helps. */
export const fix = new Cell<string[]>([]);

export const ended = (state: Job["state"]) => state !== "queued" && state !== "running";

/** The run that is followed. */
let following = "";
let both = false;

/** The data set that the drawings were sent as, for the last run that learned from them. */
let sent = "";

/** Sends the drawings, as an array of NumPy. */
async function send(all: Bits[]): Promise<string> {
  if (sent) await api.removeData(sent).catch(() => undefined); // it may be in use, or gone
  const shape = `{'descr': '|u1', 'fortran_order': False, 'shape': (${all.length}, ${all[0].height}, ${all[0].width}), }`, text = `${shape.padEnd(117)}\n`;
  const file = new File([Uint8Array.from([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, text.length, 0]), text, ...all.map((b) => b.cells as Uint8Array<ArrayBuffer>)], "data.npz");
  sent = (await api.addData([{ file, path: file.name }], file.name)).id;
  return sent;
}

/** Starts a run, from the drawings unless data are named. */
export async function start(wish: Wish): Promise<void> {
  wrong.set("");
  fix.set([]);
  following = "";
  both = wish.rule === "max-minus-min";
  live.set(null);
  job.set(null);
  try {
    job.set(await api.learn({ ...wish, data: wish.data ?? (await send(drawn.value)) }));
    following = (job.value as Job).id;
    void follow(following);
  } catch (error) {
    wrong.set(words(error));
    fix.set(error instanceof Problem ? error.fix : []);
  }
}

export async function stop(): Promise<void> {
  try {
    if (job.value) job.set(await api.stop(job.value.id));
  } catch (error) {
    wrong.set(words(error));
  }
}

/** Follows a job to its end: asks again and again, whether or not the server answers. */
async function follow(id: string): Promise<void> {
  for (;;) {
    try {
      const now = await api.job(id);
      if (following !== id) return; // another run was started
      progress(now.progress as Progress);
      if (ended(now.state)) return await finish(now);
      job.set(now);
    } catch (error) {
      if (error instanceof Problem && error.status === 404) return lost();
    }
    await new Promise((r) => setTimeout(r, 200));
  }
}

function lost(): void {
  job.set(null);
  wrong.set(`${home.it} was restarted and has lost this run. Your drawings are kept: learn again.`);
}

async function finish(now: Job): Promise<void> {
  if (now.model) await refresh();
  job.set(now);
  if (now.error) wrong.set(words(now.error));
}

function progress(p: Progress): void {
  if (!p.stage) return; // nothing yet
  live.set({ ...p, both, templates: p.templates.map(floatsOf), scores: p.scores.filter((s): s is Live["scores"][number] => s.score !== null) });
}
