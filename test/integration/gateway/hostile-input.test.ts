import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { openRaw, sendRaw, statusesIn } from "../../support/raw-http.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

const requestTimeoutMs = 1500;
let stack: Stack;

/** A budget that the failures here do not exhaust, because the limit of delayed rejections is tested. */
const rate_limit = { per_second: 2000, burst: 2000 };
const startGateway = (http: Readonly<Record<string, unknown>>): Promise<Stack> =>
  startStack({ settings: { runtime: { servers: { http: { ...http, rate_limit } } } } });

beforeAll(async () => {
  stack = await startGateway({ request_timeout: `${requestTimeoutMs}ms` });
});

afterAll(() => stack[Symbol.asyncDispose]());

/** Whether the gateway has ended, what it logged as an error, and how many decisions were temporary failures. */
async function faultsOf({ gateway }: Stack) {
  const lines = gateway.output().split("\n");
  return {
    exitCode: gateway.process.exitCode,
    errors: lines.filter((line) => /"level":"(error|fatal)"/.test(line)),
    tempfails: /^service_logins_total\{result="tempfail"\} (\d+)$/mu.exec(await gateway.metrics())?.[1],
  };
}

const none = { exitCode: null, errors: [], tempfails: "0" };

const path = "/api/v1/auth/json";
const body = JSON.stringify(alice);

function head(extra: string, { method = "POST", target = path, close = true } = {}): string {
  const fixed = `Host: x\r\nAuthorization: ${basicAuth}\r\nContent-Type: application/json\r\n`;
  return `${method} ${target} HTTP/1.1\r\n${fixed}${close ? "Connection: close\r\n" : ""}${extra}\r\n`;
}

const length = (text: string | Uint8Array): string => `Content-Length: ${Buffer.byteLength(text)}\r\n`;
const chunked = "Transfer-Encoding: chunked\r\n";
const inChunks = (text: string): string =>
  `${Array.from(text, (character) => `1\r\n${character}\r\n`).join("")}0\r\n\r\n`;

describe("valid requests, however they arrive", () => {
  test("are answered byte by byte", async () => {
    const connection = await openRaw(stack.httpPort);
    connection.socket.setNoDelay(true);
    for (const byte of head(length(body)) + body) connection.send(byte);
    expect(statusesIn(await connection.closed())).toEqual([200]);
  });

  test("are answered in chunks of one byte, and with Expect: 100-continue", async () => {
    expect((await sendRaw(stack.httpPort, [head(chunked), inChunks(body)])).status).toBe(200);
    const expecting = await sendRaw(stack.httpPort, [head(`Expect: 100-continue\r\n${length(body)}`), body]);
    expect(statusesIn(expecting.text)).toEqual([100, 200]);
  });

  test("are answered in order when pipelined", async () => {
    const right = head(length(body), { close: false }) + body;
    const wrong = JSON.stringify({ ...alice, password: "wrong" });
    const last = head(length("{")) + "{";
    const answer = await sendRaw(stack.httpPort, [
      right + head(length(wrong), { close: false }) + wrong + right + last,
    ]);
    expect(statusesIn(answer.text)).toEqual([200, 403, 200, 400]);
  });
});

describe("malformed requests", () => {
  test.each<[string, string | Uint8Array, number]>([
    ["text that is not HTTP", "hello\r\n\r\n", 400],
    ["two values of Content-Length", head(`Content-Length: 1\r\nContent-Length: 2\r\n`), 400],
    ["Content-Length and chunked encoding", head(`Content-Length: 5\r\n${chunked}`) + inChunks(body), 400],
    ["an invalid chunk size", `${head(chunked)}zz\r\n`, 400],
    ["a space before the colon", head("X-Bad : 1\r\n"), 400],
    ["a folded header", head("X-Bad: 1\r\n 2\r\n"), 400],
    ["a NUL in a header", head("X-Bad: a\u0000b\r\n"), 400],
    ["headers above 32 KiB", head(`X-Big: ${"x".repeat(40_000)}\r\n`), 431],
    ["an unknown method", head("", { method: "BREW" }), 400],
    ["a body longer than its Content-Length", `${head("Content-Length: 5\r\n")}${body}`, 400],
    ["an empty body", head("Content-Length: 0\r\n"), 400],
    ["a missing body", head(""), 400],
    [
      "a body that is not UTF-8",
      Buffer.concat([Buffer.from(head("Content-Length: 14\r\n")), Buffer.from('{"username":"'), Buffer.of(0xff)]),
      400,
    ],
    ["a JSON array", `${head(length("[]"))}[]`, 400],
    ["JSON nested 100,000 deep", head(length("[".repeat(100_000))) + "[".repeat(100_000), 400],
    ["a target that is not a path", head("", { target: "http://[" }), 400],
    ["a target with a broken escape", head(length(body), { target: "/api/v1/auth/%zz" }) + body, 400],
    ["an unsupported expectation", head(`Expect: magic\r\n${length(body)}`) + body, 417],
  ])("%s is rejected", async (_what, bytes, status) => {
    const answer = await sendRaw(stack.httpPort, [bytes]);
    expect(statusesIn(answer.text)[0]).toBe(status);
  });

  test.each(["HEAD", "OPTIONS", "PUT", "GET", "DELETE", "PATCH", "TRACE"])("%s is 405", async (method) => {
    expect((await sendRaw(stack.httpPort, [head("", { method })])).status).toBe(405);
  });

  test("a connection that the client closes in the middle of a body ends the request", async () => {
    const connection = await openRaw(stack.httpPort);
    connection.send(`${head("Content-Length: 500\r\n")}{"username"`);
    connection.socket.end();
    expect(statusesIn(await connection.closed())).not.toContain(500);
  });

  test.each([
    ["a body", `${head("Content-Length: 500\r\n")}{"user`],
    ["headers", `POST ${path} HTTP/1.1\r\nHost: x\r\n`],
  ])("%s that never ends is given up after request_timeout", async (_what, bytes) => {
    const started = performance.now();
    const answer = await sendRaw(stack.httpPort, [bytes]);
    expect(answer.status).toBe(408);
    expect(performance.now() - started).toBeGreaterThanOrEqual(requestTimeoutMs - 50);
  });
});

async function askWithMalformedType(target: string, headers: string): Promise<number> {
  const credentials = `Host: x\r\nAuthorization: ${basicAuth}\r\nConnection: close\r\n`;
  const request = `POST ${target} HTTP/1.1\r\n${credentials}Content-Type: ;;\r\n${headers}\r\n`;
  return (await sendRaw(stack.httpPort, [request])).status;
}

test("a malformed Content-Type is rejected where the body has a media type, and ignored where it has none", async () => {
  expect(await askWithMalformedType("/api/v1/auth/json", "Content-Length: 0\r\n")).toBe(400);
  expect(await askWithMalformedType("/api/v1/auth/cbor", "Content-Length: 0\r\n")).toBe(400);
  const named = `Auth-User: ${alice.username}\r\nAuth-Pass: ${alice.password}\r\nAuth-Protocol: imap\r\n`;
  expect(await askWithMalformedType("/api/v1/auth/header", `${named}Content-Length: 0\r\n`)).toBe(200);
});

test("a control character is rejected with 400 in a username, and is a wrong password in a password", async () => {
  for (const username of ["alice\u0000@example.test", "alice\r\nAuth-Status: OK", "\u007f"])
    expect((await askJson(stack.url, { ...alice, username })).status).toBe(400);
  for (const password of ["alice-demo-password\u0000", "\u0000", "\r\n", "\ud800", "x".repeat(10_000)])
    expect((await askJson(stack.url, { ...alice, password })).status).toBe(403);
});

test("1,100 simultaneous rejected callers, more than may wait, all receive 401, and a valid request is answered meanwhile", async () => {
  await using patient = await startGateway({});
  const count = 1100;
  const bytes = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
  const connections = await Promise.all(
    Array.from({ length: count }, async () => {
      const connection = await openRaw(patient.httpPort);
      connection.send(bytes);
      return connection;
    }),
  );
  const right = askJson(patient.url, { username: alice.username, protocol: "imap" }, { query: "?mode=no-auth" });
  let answered = 0;
  const closed = connections.map((connection) => connection.closed().finally(() => (answered += 1)));
  expect((await right).status).toBe(200);
  expect(answered).toBeLessThan(count);
  const answers = await Promise.all(closed);
  expect(answers.filter((text) => statusesIn(text)[0] !== 401)).toEqual([]);
  await poll(
    "a valid request to be answered as before",
    async () => (await askJson(patient.url, alice)).status === 200,
  );
  expect(await faultsOf(patient)).toEqual(none);
});

test("none of these requests ended the gateway or caused an internal error", async () => {
  expect(await faultsOf(stack)).toEqual(none);
});
