import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askRaw, type RawAnswer } from "../../support/ask-raw.ts";
import { type CallersStack, startCallersStack } from "../../support/callers-stack.ts";

const operatorHash = "$argon2id$v=19$m=64,t=1,p=1$NqAU9gpIOrJkNAAg1eKaTg$gMXpJJAE3bkhNIKB5A4lWLyKVkbhC8pYNhXQiP5K51s";
const login = JSON.stringify({ username: "operator", password: "demo-operator-password" });
const maxBodies = 64;

let stack: CallersStack;

beforeAll(async () => {
  stack = await startCallersStack({
    jwt: { users: [{ username: "operator", password: operatorHash, roles: ["admin"] }] },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

function logIn(coding: string): Promise<RawAnswer> {
  const headers = [["Content-Type", "application/json"] as const, ["Content-Encoding", coding] as const];
  return askRaw(stack.url, {
    path: "/api/v1/jwt/token",
    headers,
    body: coding === "gzip" ? gzipSync(login) : login,
  });
}

/** A request without credentials whose body never ends. */
function beginBody(coding: string, length: number): Socket {
  const { hostname, port } = new URL(stack.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  const head = ["POST /api/v1/jwt/refresh HTTP/1.1", "Host: gateway.example.test", "Content-Type: text/plain"];
  socket.write(`${[...head, `Content-Encoding: ${coding}`, `Content-Length: ${length}`].join("\r\n")}\r\n\r\nx`);
  return socket;
}

/** Everything that is received until the server closes the connection. */
async function answerOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = await socket.toArray();
  return Buffer.concat(chunks).toString("latin1");
}

test("a compressed body of more than 64 KiB from an unknown API caller is rejected before it arrives", async () => {
  const socket = beginBody("gzip", 65_537);
  let answer = "";
  socket.on("data", (chunk: Buffer) => {
    answer += chunk.toString("latin1");
  });
  await poll("it to be rejected", () => answer.includes("\r\n\r\n"));
  socket.destroy();
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
});

test("slow compressed bodies of unknown API callers take no place from others, and are limited in number", async () => {
  expect((await logIn("gzip")).status).toBe(200);
  const flood = Array.from({ length: 2 * maxBodies }, () => beginBody("gzip", 1000));
  try {
    await poll("all places to be taken", async () => /bodies_shed_total [1-9]/.test(await stack.gateway.metrics()));
    for (const coding of ["gzip", "identity", "gzip", "Identity "]) expect((await logIn(coding)).status).toBe(200);
    const dropped = await Promise.all(flood.slice(0, maxBodies).map(answerOf));
    expect(dropped.filter((answer) => !/^HTTP\/1\.1 500 [^]*"Temporary server problem/.test(answer))).toEqual([]);
  } finally {
    for (const socket of flood) socket.destroy();
  }
  expect((await logIn("gzip")).status).toBe(200);
});
