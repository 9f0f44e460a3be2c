import { defineConfig } from "vite";

// The page is served by the studio from its own memory: relative addresses, no source maps, and nothing inline, so that a
// strict Content-Security-Policy holds.
export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  // npm run dev: the page from here, the API from a studio; it refuses requests from other origins, so the origin is dropped.
  server: {
    proxy: Object.fromEntries(["/v1", "/healthz", "/openapi.json"].map((path) => [path, {
      target: process.env.STUDIO ?? "http://127.0.0.1:8080",
      changeOrigin: true,
      configure: (proxy: { on(event: "proxyReq", f: (request: { removeHeader(name: string): void }) => void): void }) => {
        proxy.on("proxyReq", (request) => ["origin", "referer", "sec-fetch-site"].forEach((h) => request.removeHeader(h)));
      },
    }])),
  },
});
