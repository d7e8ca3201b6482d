import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { AppError } from "@postern/shared/platform/errors";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createReadBody } from "./read-body.ts";

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

async function read(request: IncomingMessage): Promise<string> {
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

test("a client that disconnects while sending the body is reported once", async () => {
  const settled = new Promise<void>((resolve) => waiting.set("/cut", resolve));
  const { port } = new URL(url("/"));
  const socket = connect(Number(port), "127.0.0.1");
  socket.end("POST /cut HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf");
  await settled;
  expect(results.get("/cut")).toBe("REQUEST_MALFORMED");
});
