// The worker of the page without a server: after Go's own glue. The first message brings the program; then the program
// takes the messages.
self.onmessage = async ({ data }) => {
  const go = new Go();
  self.patchworkModels = data.models;
  const { instance } = await WebAssembly.instantiate(data.studio, go.importObject);
  await go.run(instance);
  throw new Error("the studio of this page has stopped");
};
self.onunhandledrejection = ({ reason }) => setTimeout(() => { throw reason; });
