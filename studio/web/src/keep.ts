// What a page without a server keeps from one visit to the next: models, in a store of the browser.
import type { Api, Model } from "./api.ts";

interface Kept {
  name: string;
  file: Blob;
}

/** What was stored of the models that are there: the key, and the names that the file has. */
const stored = new Map<string, { key: IDBValidKey; names: string }>();
const namesOf = (m: Model) => JSON.stringify([m.name, m.parts?.map((p) => p.name)]);

const ended = <T>(request: IDBRequest<T>): Promise<T> => new Promise((done, fail) => {
  request.onsuccess = () => done(request.result);
  request.onerror = () => fail(request.error);
});

async function within<T>(what: (all: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const request = indexedDB.open("patchwork", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("models", { autoIncrement: true });
  const base = await ended(request);
  try {
    return await ended(what(base.transaction("models", "readwrite").objectStore("models")));
  } finally {
    base.close();
  }
}

/** Loads the models that earlier visits left; one that cannot be read any more stays where it is. */
export async function restore(api: Api): Promise<void> {
  const keys = await within((all) => all.getAllKeys());
  for (const key of keys) {
    try {
      const { name, file } = await within<Kept>((all) => all.get(key));
      const m = await api.call("POST /v1/models", { query: { name }, body: file });
      stored.set(m.id, { key, names: namesOf(m) });
    } catch (error) {
      console.info("a kept model is left out:", error);
    }
  }
}

/** Stores what is new among the models, and forgets what was removed. */
export async function keep(api: Api, models: Model[]): Promise<void> {
  for (const [id, { key }] of stored) {
    if (models.some((m) => m.id === id)) continue;
    stored.delete(id);
    await within((all) => all.delete(key));
  }
  for (const m of models) {
    const before = stored.get(m.id), names = namesOf(m);
    if (m.source === "built-in" || before?.names === names) continue;
    const kept: Kept = { name: m.name, file: await api.file("GET /v1/models/{id}/file", { path: { id: m.id } }) };
    stored.set(m.id, { key: await within((all) => all.put(kept, before?.key)), names });
  }
}

export const isKept = (m: Model): boolean => stored.get(m.id)?.names === namesOf(m);
