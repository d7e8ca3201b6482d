import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { expect, test } from "vitest";
import type { LuaValue } from "../lua-value.ts";
import { httpModule } from "./http.ts";

async function serve(answer: RequestListener) {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return {
    host: `127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function ask(
  request: LuaValue,
  {
    allowedHosts,
    timeoutMs = 20_000,
    signal = AbortSignal.timeout(20_000),
  }: { allowedHosts: readonly string[]; timeoutMs?: number; signal?: AbortSignal },
) {
  const run = httpModule({ allowed_hosts: allowedHosts, timeout: timeoutMs, max_response_bytes: 1000 })["http.request"];
  return run?.([request], { script: "x.lua", deadline: Date.now() + 20_000, signal });
}

test("method, headers and body are sent; status, headers and body are returned", async () => {
  await using server = await serve((request, response) => {
    request.on("data", (part: Buffer) => {
      response.writeHead(201, { "x-seen": `${request.method} ${request.headers["x-a"]}` }).end(part);
    });
  });
  const request = { url: `http://${server.host}/a`, method: "PUT", headers: { "x-a": "1" }, body: "text" };
  const answer = await ask(request, { allowedHosts: [server.host] });
  expect(answer).toMatchObject({ status: 201, headers: { "x-seen": "PUT 1" }, body: new TextEncoder().encode("text") });
});

test("other hosts are rejected, even with other spellings and user names in the URL", async () => {
  const allowedHosts = ["api.example.test"];
  for (const url of [
    "http://other.example.test/",
    "http://api.example.test:8080/",
    "http://api.example.test@other.example.test/",
    "http://api.example.test.other.example.test/",
  ]) {
    await expect(ask({ url }, { allowedHosts })).rejects.toThrow("not among the allowed hosts");
  }
  await expect(ask({ url: "file:///etc/passwd" }, { allowedHosts })).rejects.toThrow("http:// or https://");
});

test("a redirect is returned and not followed", async () => {
  let requests = 0;
  await using server = await serve((_request, response) => {
    requests += 1;
    response.writeHead(302, { location: "http://other.example.test/" }).end();
  });
  const answer = await ask({ url: `http://${server.host}/` }, { allowedHosts: [server.host] });
  expect(answer).toMatchObject({ status: 302, headers: { location: "http://other.example.test/" } });
  expect(requests).toBe(1);
});

test("a response that is too large or missing causes an error", async () => {
  await using large = await serve((_request, response) => void response.end("x".repeat(1001)));
  await expect(ask({ url: `http://${large.host}/` }, { allowedHosts: [large.host] })).rejects.toThrow("too large");
  await using silent = await serve(() => undefined);
  await expect(ask({ url: `http://${silent.host}/` }, { allowedHosts: [silent.host], timeoutMs: 300 })).rejects.toThrow(
    /timeout/i,
  );
});

test("the end of the call cancels the request", async () => {
  const gone = Promise.withResolvers<void>();
  const abort = new AbortController();
  await using server = await serve((request) => {
    request.socket.once("close", () => gone.resolve());
    abort.abort();
  });
  const pending = ask({ url: `http://${server.host}/` }, { allowedHosts: [server.host], signal: abort.signal });
  await expect(pending).rejects.toThrow(/abort/i);
  await gone.promise;
});
