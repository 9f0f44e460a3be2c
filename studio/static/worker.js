// The worker of the page without a server: after Go's own glue. The first message brings the program and the vector code
// that it calls; then the program takes the messages.
self.onmessage = async ({ data }) => {
  const go = new Go();
  let stack;
  go.importObject.patchwork = { stack: (sums, from, at, n) => stack(sums, from, at, n) };
  self.patchworkModels = data.models;
  const { instance } = await WebAssembly.instantiate(data.studio, go.importObject);
  stack = await vectors(data.simd, instance.exports.mem);
  await go.run(instance);
  throw new Error("the studio of this page has stopped");
};
self.onunhandledrejection = ({ reason }) => setTimeout(() => { throw reason; });

/** The function stack of studio/static/simd.go, or the same without vectors where there are none. */
async function vectors(simd, mem) {
  if (WebAssembly.validate(simd)) return (await WebAssembly.instantiate(simd, { go: { mem } })).instance.exports.stack;
  return (sums, from, at, n) => {
    const all = new Int32Array(mem.buffer), acc = new Int32Array(32);
    for (let i = 0; i < n; i++) {
      const place = (from >>> 2) + all[(at >>> 2) + i];
      for (let l = 0; l < 32; l++) acc[l] += all[place + l];
    }
    all.set(acc, sums >>> 2);
  };
}
