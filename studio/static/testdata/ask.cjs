// Asks the studio of a page without a server, under node: node ask.cjs CORE REQUESTS. REQUESTS is JSON, a list of
// {method, path, query, body, bodyFile, until}: a request with until, a regular expression, is repeated until its answer matches, is an error, or a minute is over. It prints the answers,
// as JSON lines {status, header, body}, the body in base64.
const { readFileSync } = require("node:fs");
const [, , coreFile, requestsFile] = process.argv;
(0, eval)(readFileSync(coreFile, "utf8"));
const core = globalThis.patchworkCore, bytes = (text) => Uint8Array.from(text, (c) => c.charCodeAt(0));
const waiting = new Map();
let ready;
const started = new Promise((r) => { ready = r; });
globalThis.self = globalThis;
globalThis.postMessage = (m) => {
  if (m.ready) return ready();
  waiting.get(m.id)(m);
};
(0, eval)(core.program);
process.on("unhandledRejection", (e) => { console.error(e); process.exit(1); });
const models = process.env.WITHOUT_MODELS ? {} : Object.fromEntries(Object.entries(core.models).map(([id, text]) => [id, bytes(text)]));
globalThis.onmessage({ data: { studio: bytes(core.studio), simd: bytes(core.simd), models } });
let id = 0;
const ask = (r) => new Promise((done) => {
  waiting.set(id, done);
  const body = r.bodyFile ? new Uint8Array(readFileSync(r.bodyFile)) : r.body === undefined ? undefined : new TextEncoder().encode(r.body);
  globalThis.onmessage({ data: { id: id++, method: r.method, path: r.path, query: r.query ?? [], kind: r.kind ?? "", body } });
});
(async () => {
  await started;
  const answers = [];
  for (const r of JSON.parse(readFileSync(requestsFile, "utf8"))) {
    for (const begun = Date.now(); ;) {
      const answer = await ask(r), body = Buffer.from(answer.body ?? []);
      if (r.until && answer.status < 400 && !new RegExp(r.until).test(body) && Date.now() - begun < 60_000) { await new Promise((go) => setTimeout(go, 20)); continue; }
      answers.push(JSON.stringify({ status: answer.status, header: answer.header ?? {}, body: body.toString("base64") }) + "\n");
      break;
    }
  }
  process.stdout.write(answers.join(""), () => process.exit(0));
})();
