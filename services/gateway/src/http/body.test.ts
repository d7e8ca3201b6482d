import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { AppError } from "@postern/shared/platform/errors";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createReadBody } from "./body.ts";

const maxBytes = 1000;
const readBody = createReadBody({ enabled: true, maxBytes });
/** The result of each request, by its path. */
const results = new Map<string, string>();
const waiting = new Map<string, () => void>();

function note(request: IncomingMessage, result: string): void {
  const path = request.url ?? "";
  results.set(path, `${results.get(path) ?? ""}${result}`);
  waiting.get(path)?.();
}

/** Paths below `/later` are read when the request has been received completely, as after a hook that waits. */
async function received(request: IncomingMessage): Promise<void> {
  while (!request.complete && !request.destroyed) await nextTurn();
}

async function read(request: IncomingMessage): Promise<string> {
  if (request.url?.startsWith("/later") === true) await received(request);
  try {
    const body = await readBody(request, maxBytes);
    return `${body.length}:${body.toString().slice(0, 4)}`;
  } catch (thrown) {
    return thrown instanceof AppError ? thrown.code : String(thrown);
  }
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  note(request, await read(request));
  response.end();
}

const server = createServer((request, response) => void respond(request, response));

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function url(path: string): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}${path}`;
}

async function resultOf(path: string, init: RequestInit): Promise<string | undefined> {
  await fetch(url(path), { method: "POST", ...init });
  return results.get(path);
}

function chunked(...sizes: number[]): RequestInit & { duplex: "half" } {
  const chunks = sizes.map((size) => Buffer.alloc(size, "ab"));
  return { body: new Blob(chunks).stream(), duplex: "half" };
}

test("a body is read as sent, whole or in chunks, and a missing one is empty", async () => {
  expect(await resultOf("/whole", { body: "text" })).toBe("4:text");
  expect(await resultOf("/chunks", chunked(300, 700))).toBe("1000:abab");
  expect(await resultOf("/none", {})).toBe("0:");
});

test("one byte above the limit is rejected, with and without Content-Length", async () => {
  expect(await resultOf("/told", { body: Buffer.alloc(1001) })).toBe("REQUEST_TOO_LARGE");
  expect(await resultOf("/untold", chunked(300, 701, 5000))).toBe("REQUEST_TOO_LARGE");
});

test("a content coding is removed, and a broken one is reported once", async () => {
  const headers = { "Content-Encoding": "gzip" };
  expect(await resultOf("/gzip", { headers, body: gzipSync("hello") })).toBe("5:hell");
  expect(await resultOf("/broken", { headers, body: "hello" })).toBe("REQUEST_MALFORMED");
});

test("a body that was received before it is read has the same limit, and may be empty or in several chunks", async () => {
  expect(await resultOf("/later/whole", { body: "text" })).toBe("4:text");
  expect(await resultOf("/later/chunks", chunked(300, 700))).toBe("1000:abab");
  expect(await resultOf("/later/none", {})).toBe("0:");
  expect(await resultOf("/later/told", { body: Buffer.alloc(1001) })).toBe("REQUEST_TOO_LARGE");
  expect(await resultOf("/later/untold", chunked(300, 701))).toBe("REQUEST_TOO_LARGE");
});

function post(path: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

test("each of several requests in one packet has its own body", async () => {
  const { port } = new URL(url("/"));
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(post("/later/first", "one") + post("/second", "three") + post("/later/third", ""));
  const settled = ["/later/first", "/second", "/later/third"].map(
    (path) => new Promise<void>((resolve) => waiting.set(path, resolve)),
  );
  await Promise.all(settled);
  socket.destroy();
  expect([results.get("/later/first"), results.get("/second"), results.get("/later/third")]).toEqual([
    "3:one",
    "5:thre",
    "0:",
  ]);
});

test("a client that disconnected before its body is read is reported once", async () => {
  const settled = new Promise<void>((resolve) => waiting.set("/later/gone", resolve));
  const { port } = new URL(url("/"));
  const socket = connect(Number(port), "127.0.0.1");
  socket.end("POST /later/gone HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf");
  await settled;
  expect(results.get("/later/gone")).toBe("REQUEST_MALFORMED");
});

test("a client that disconnects while sending the body is reported once", async () => {
  const settled = new Promise<void>((resolve) => waiting.set("/cut", resolve));
  const { port } = new URL(url("/"));
  const socket = connect(Number(port), "127.0.0.1");
  socket.end("POST /cut HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf");
  await settled;
  expect(results.get("/cut")).toBe("REQUEST_MALFORMED");
});
