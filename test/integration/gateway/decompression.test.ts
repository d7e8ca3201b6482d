import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { askRaw, type RawAnswer } from "../../support/ask-raw.ts";
import { caller, formType, sessionId } from "../../support/dialects.ts";
import { type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});

afterAll(() => stack[Symbol.asyncDispose]());

async function ask(encoding: string, body: Buffer, url = stack.url, endpoint = "json"): Promise<RawAnswer> {
  return askRaw(url, {
    path: `/api/v1/auth/${endpoint}`,
    headers: [
      caller,
      ["Content-Type", endpoint === "sasl" ? formType : "application/json"],
      ["Content-Encoding", encoding],
    ],
    body,
  });
}

const json = Buffer.from(JSON.stringify(alice));
const tooLong = Buffer.from(JSON.stringify({ ...alice, user_agent: "x".repeat(1_048_576) }));
const compressors = [
  ["gzip", gzipSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
] as const satisfies [string, (body: Buffer) => Buffer][];

describe("request body decompression (contract, Authentication endpoints and Limits)", () => {
  test.each(compressors)("accepts %s", async (encoding, compress) => {
    expect((await ask(encoding, compress(json))).status).toBe(200);
    const form = Buffer.from(new URLSearchParams({ username: alice.username, password: alice.password }).toString());
    expect((await ask(encoding, compress(form), stack.url, "sasl")).status).toBe(200);
  });

  test.each(compressors)(
    "%s above 1 MiB, or a body that is not compressed, is rejected with 400 in the dialect's format",
    async (encoding, compress) => {
      for (const body of [compress(tooLong), json]) {
        const answer = await ask(encoding, body);
        expect(answer.status).toBe(400);
        expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) });
        expect(answer.header("X-Service-Session")).toMatch(sessionId);
      }
    },
  );

  test.each(["deflate", "gzip, gzip", "compress"])("400 for %s", async (encoding) => {
    expect((await ask(encoding, gzipSync(gzipSync(json)))).status).toBe(400);
  });

  test("rejects decompression bombs, and decides a simultaneous request", async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(10_485_760)));
    const flat = gzipSync(Buffer.alloc(10_485_760));
    const attacks = Array.from({ length: 20 }, (_, index) => ask("gzip", index % 2 === 0 ? bomb : flat));
    const decision = await ask("identity", json);
    expect(decision.status).toBe(200);
    const answers = await Promise.all(attacks);
    expect(answers.map(({ status }) => status)).toEqual(attacks.map(() => 400));
    // Zeros are no JSON either: only the reason shows that they were not all expanded.
    const reasons = answers.filter((_answer, index) => index % 2 > 0).map(({ body }) => JSON.parse(body));
    expect(reasons).toEqual(reasons.map(() => ({ error: "Request body too large" })));
  });

  test("authenticates the API caller before it expands the body", async () => {
    const answer = await askRaw(stack.url, {
      path: "/api/v1/auth/json",
      headers: [["Content-Encoding", "gzip"]],
      body: "nonsense",
    });
    expect(answer.status).toBe(401);
  });
});

test("with decompression disabled, a compressed body is rejected with 400 and a plain one is accepted", async () => {
  await using off = await startStack({
    settings: { runtime: { servers: { http: { middlewares: { request_decompression: false } } } } },
  });
  expect((await ask("gzip", gzipSync(json), off.url)).status).toBe(400);
  expect((await ask("identity", json, off.url)).status).toBe(200);
});
