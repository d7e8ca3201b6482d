import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { status } from "@grpc/grpc-js";
import { freePort } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { authMethod, type GrpcClient, grpcClient } from "../../support/grpc-client.ts";
import { openRaw, sendRaw } from "../../support/raw-http.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;
let grpc: GrpcClient;

beforeAll(async () => {
  const address = `127.0.0.1:${await freePort()}`;
  stack = await startStack({
    redis: true,
    services: ["admin", "jobs-worker"],
    settings: {
      runtime: {
        servers: {
          http: { rate_limit: { per_second: 1000, burst: 1000 } },
          grpc: { authority: { enabled: true, address } },
        },
      },
    },
  });
  grpc = grpcClient(address);
});

afterAll(async () => {
  grpc[Symbol.dispose]();
  await stack[Symbol.asyncDispose]();
});

interface Endpoint {
  readonly method: string;
  readonly path: string;
  /** The members of a valid body, without the braces around them. */
  readonly members: string;
}

const endpoints: readonly (readonly [string, Endpoint])[] = [
  ["auth", { method: "POST", path: "/api/v1/auth/json", members: JSON.stringify(alice).slice(1, -1) }],
  ["management", { method: "DELETE", path: "/api/v1/cache/flush", members: '"user":"alice@example.test"' }],
  ["list of bans", { method: "POST", path: "/api/v1/bruteforce/list", members: '"accounts":[]' }],
];

async function send({ method, path }: Endpoint, body: Uint8Array<ArrayBuffer> | string, headers = {}): Promise<number> {
  const response = await fetch(`${stack.url}${path}`, {
    method,
    headers: { authorization: basicAuth, "content-type": "application/json", ...headers },
    body,
  });
  const text = await response.text();
  if (response.status === 400) expect(text).toContain("error");
  return response.status;
}

const bytesOf = (...parts: readonly (Buffer | string)[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.concat(parts.map((part) => Buffer.from(part))));

describe.each(endpoints)("a JSON body, %s", (_name, endpoint) => {
  const { members } = endpoint;

  test("is accepted, and rejected with 400 if it has a byte order mark", async () => {
    expect(await send(endpoint, `{${members}}`)).toBe(200);
    expect(await send(endpoint, bytesOf("\ufeff", `{${members}}`))).toBe(400);
  });

  test.each([
    ["the first member twice", `{${members},${members}}`],
    ["an unknown member twice", `{${members},"x":1,"x":1}`],
    ["a member twice inside another", `{${members},"x":[{"y":1,"y":2}]}`],
  ])("is rejected with 400 with %s", async (_what, body) => {
    expect(await send(endpoint, body)).toBe(400);
  });

  test("is rejected with 400 if it is not UTF-8", async () => {
    expect(await send(endpoint, bytesOf(`{${members},"x":"`, Buffer.of(0xff), '"}'))).toBe(400);
    expect(await send(endpoint, bytesOf(`{${members},"x":"`, Buffer.of(0xed, 0xa0, 0x80), '"}'))).toBe(400);
  });

  test("cannot change a prototype", async () => {
    expect([200, 400]).toContain(await send(endpoint, `{${members},"__proto__":{"user":"x"}}`));
    expect(await send(endpoint, `{${members}}`)).toBe(200);
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ])("is expanded from %s, up to 1 MiB", async (coding, compress) => {
    const headers = { "content-encoding": coding };
    expect(await send(endpoint, bytesOf(compress(`{${members}}`)), headers)).toBe(200);
    const bomb = `{${members},"x":"${"x".repeat(1_048_576)}"}`;
    expect(await send(endpoint, bytesOf(compress(bomb)), headers)).toBe(400);
    expect(await send(endpoint, bytesOf(compress(`{${members}`)), headers)).toBe(400);
  });

  test.each(["compress", "gzip, gzip"])("is 400 with the content coding %s", async (coding) => {
    expect(await send(endpoint, bytesOf(gzipSync(`{${members}}`)), { "content-encoding": coding })).toBe(400);
  });

  test("is rejected with 400 if the content coding does not match the bytes", async () => {
    expect(await send(endpoint, `{${members}}`, { "content-encoding": "gzip" })).toBe(400);
  });
});

test("a compressed body of the JWT endpoint, which authenticates no API caller, is expanded", async () => {
  const endpoint = { method: "POST", path: "/api/v1/jwt/token", members: "" };
  const body = bytesOf(gzipSync(JSON.stringify({ username: "nobody", password: "x" })));
  const plain = await send(endpoint, JSON.stringify({ username: "nobody", password: "x" }), { authorization: "" });
  expect(await send(endpoint, body, { authorization: "", "content-encoding": "gzip" })).toBe(plain);
});

/** A Protocol Buffers field with bytes as its value. */
const field = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.of((number << 3) | 2, bytes.length), bytes]);

const askOverGrpc = async (username: Buffer) => {
  const bytes = Buffer.concat([field(1, username), field(2, Buffer.from("wrong"))]);
  return grpc.call(authMethod("Authenticate"), {}, { authorization: basicAuth, bytes });
};

describe("strings over gRPC", () => {
  test.each([
    ["Latin-1", Buffer.of(0x6d, 0xfc, 0x6c)],
    ["a surrogate", Buffer.of(0xed, 0xa0, 0x80)],
    ["an overlong form", Buffer.of(0xc0, 0xaf)],
    ["half a character", Buffer.from("ü").subarray(0, 1)],
  ])("%s is rejected with INVALID_ARGUMENT", async (_what, username) => {
    expect((await askOverGrpc(username)).code).toBe(status.INVALID_ARGUMENT);
  });

  test("a replacement character in the request is an ordinary character", async () => {
    const { code, message } = await askOverGrpc(Buffer.from("m\ufffdller"));
    expect([code, message["ok"]]).toEqual([status.OK, false]);
  });
});

const head = (hosts: string, path: string): string =>
  `GET ${path} HTTP/1.1\r\n${hosts}Authorization: ${basicAuth}\r\nConnection: close\r\n\r\n`;

describe("Host", () => {
  test.each(["/api/v1/config/load", "/healthz", "/api/v1/auth/proxy", "/nowhere"])("two are 400, %s", async (path) => {
    const { status: code } = await sendRaw(stack.httpPort, [head("Host: a\r\nhost: b\r\n", path)]);
    expect(code).toBe(400);
    const same = await sendRaw(stack.httpPort, [head("Host: a\r\nHost: a\r\n", path)]);
    expect(same.status).toBe(400);
  });

  test("one Host header is accepted, and the connection stays usable after a rejected request", async () => {
    const connection = await openRaw(stack.httpPort);
    connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
    connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const text = await connection.closed();
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code)).toEqual(["400", "200"]);
  });
});
