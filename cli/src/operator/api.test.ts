import { once } from "node:events";
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { createApi } from "./api.ts";

test.each([
  ["stalls", () => undefined],
  ["ends", (end: () => void) => end()],
])("an answer whose body %s in the middle is an answer that did not arrive", async (_how, then) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-length": "100" }).write("{", () => then(() => response.destroy()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  try {
    const api = createApi({ url: `http://127.0.0.1:${port}`, authorization: undefined, timeoutMs: 200 });
    await expect(api.ask("showSystem")).rejects.toMatchObject({ name: "ApiError", status: 0 });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
