// Runs the function stack of the page's vector code, and the one that stands for it where there are none, on the jobs of a file.
const { readFileSync } = require("node:fs");
const { simd, worker, numbers, jobs } = JSON.parse(readFileSync(process.argv[2], "utf8"));
globalThis.self = globalThis;
(0, eval)(`${worker}; globalThis.vectors = vectors;`);
(async () => {
  const mem = new WebAssembly.Memory({ initial: 1 }), from = 256, at = 8192, sums = 16384, all = new Int32Array(mem.buffer);
  all.set(numbers, from / 4);
  const module = new Uint8Array(Buffer.from(simd, "base64"));
  if (!WebAssembly.validate(module)) throw new Error("not a module");
  for (const code of [module, new Uint8Array(3)]) {
    const stack = await globalThis.vectors(code, mem);
    for (const { Places, Sums } of jobs) {
      all.set(Places, at / 4);
      all.fill(7, sums / 4, sums / 4 + 32);
      stack(sums, from, at, Places.length);
      Sums.forEach((s, l) => { if (all[sums / 4 + l] !== s) throw new Error(`${Places.length} places, lane ${l}: ${all[sums / 4 + l]}, not ${s}`); });
    }
  }
  console.log("as expected, with vectors and without");
})();
