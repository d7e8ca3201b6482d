import { once } from "node:events";
import { connect } from "node:net";
import { type Operation, operations } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRaw } from "../../support/raw-http.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { stackSettings, writeHook } from "../openapi/settings.ts";

/** Small, because thousands of larger bodies are sent. */
const maxBodyBytes = 131_072;

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let stack: Stack;

/** Answers for as long as the caller listens, so it never ends whole. */
const endless = "watchDecisions";
/** Pages of the console are on its own listener only. */
export const exposed = operations.filter(
  ({ family, operationId }) => family.channel !== "console" && operationId !== endless,
);
const takesBody = ({ request }: Operation): boolean => request?.body !== undefined;
const takingBodies = exposed.filter(takesBody);
const limitOf = ({ maxBodyBytes: own = maxBodyBytes }: Operation): number => own;

function pathOf(operation: Operation): string {
  return routeOf(operation).url.replaceAll(/:\w+|\*/gu, "x");
}

const chunk = Buffer.alloc(16_384, "a");
const mediaTypeOf = ({ request }: Operation): string => Object.keys(request?.body ?? { "text/plain": {} })[0] ?? "";

interface Ended {
  readonly status: number;
  /** Whether the body of the answer is as long as its head says. */
  readonly isWhole: boolean;
  /** How the connection broke, if it did. */
  readonly broken: string | undefined;
}

function endedWith(bytes: Buffer, broken: string | undefined): Ended {
  const text = bytes.toString("latin1");
  const [head = "", body = ""] = text.split(/\r\n\r\n(.*)/su, 2);
  const length = /^content-length: (\d+)/imu.exec(head)?.[1];
  const isWhole = length === undefined ? text.endsWith("\r\n0\r\n\r\n") : body.length === Number(length);
  return { status: Number(/^HTTP\/1\.1 (\d+)/u.exec(text)?.[1] ?? 0), isWhole, broken };
}

/** Sends the whole body, whatever is answered meanwhile, and reads until the server closes the connection. */
async function upload(operation: Operation, bytes: number, isChunked: boolean): Promise<Ended> {
  const socket = connect({ port: stack.httpPort, host: "127.0.0.1", allowHalfOpen: true });
  const received: Buffer[] = [];
  let broken: string | undefined;
  socket.on("data", (data: Buffer) => received.push(data));
  socket.on("error", (error: NodeJS.ErrnoException) => {
    broken = error.code ?? error.message;
  });
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  socket.once("end", () => socket.end());
  const framing = isChunked ? "transfer-encoding: chunked" : `content-length: ${bytes}`;
  const head = [
    `${operation.method.toUpperCase()} ${pathOf(operation)} HTTP/1.1`,
    "host: localhost",
    "connection: close",
    `authorization: ${basicAuth}`,
    `content-type: ${mediaTypeOf(operation)}`,
    framing,
  ].join("\r\n");
  socket.write(`${head}\r\n\r\n`);
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += chunk.length) {
    const part = chunk.subarray(0, Math.min(chunk.length, bytes - sent));
    if (isChunked) socket.write(`${part.length.toString(16)}\r\n`);
    const isRoom = socket.write(part);
    if (isChunked) socket.write("\r\n");
    if (!isRoom) await Promise.race([once(socket, "drain").catch(() => undefined), closed]);
  }
  if (isChunked) socket.write("0\r\n\r\n");
  await closed;
  return endedWith(Buffer.concat(received), broken);
}

async function outcomes(
  operation: Operation,
  bytes: number,
  isChunked: boolean,
  times = 5,
): Promise<readonly string[]> {
  const all = await Promise.all(Array.from({ length: times }, () => upload(operation, bytes, isChunked)));
  return [...new Set(all.map(({ status, isWhole, broken }) => `${status} ${isWhole} ${broken}`))];
}

const aboveEveryLimit = 3 * maxBodyBytes;
const forms = [
  ["with its length", false],
  ["in chunks", true],
] as const;

/** Sends the beginning of a body, what follows it, and breaks the connection. */
async function breakOff(operation: Operation, rest: string): Promise<void> {
  const { socket } = await openRaw(stack.httpPort);
  const head = [
    `${operation.method.toUpperCase()} ${pathOf(operation)} HTTP/1.1`,
    "host: localhost",
    `authorization: ${basicAuth}`,
    `content-type: ${mediaTypeOf(operation)}`,
    "transfer-encoding: chunked",
  ].join("\r\n");
  socket.write(`${head}\r\n\r\n4000\r\n`);
  await new Promise<void>((sent) => void socket.write(chunk, () => sent()));
  if (rest === "") socket.resetAndDestroy();
  else socket.end(rest);
  if (!socket.destroyed) await once(socket, "close");
}

/** Operations that differ in nothing that decides about a body: who serves them, for whom, whether and of which type they take one, and how large. */
export const bodyClassOf = (operation: Operation): string => {
  const { family, security } = operation;
  return JSON.stringify([
    family.channel,
    family.owner,
    security,
    takesBody(operation),
    mediaTypeOf(operation),
    limitOf(operation),
  ]);
};

function testLimits(chosen: readonly Operation[]): void {
  describe.each(forms)("a body above every limit, sent %s", (_form, isChunked) => {
    test.each(chosen.filter(takesBody))("is 413 or 400 at $operationId", async (operation) => {
      for (const outcome of await outcomes(operation, aboveEveryLimit, isChunked)) {
        expect(["413 true undefined", "400 true undefined"]).toContain(outcome);
      }
    });

    test.each(chosen.filter((operation) => !takesBody(operation)))(
      "is no failure at $operationId, which takes no body",
      async (operation) => {
        for (const outcome of await outcomes(operation, aboveEveryLimit, isChunked, 2)) {
          expect(outcome).toMatch(/^[234]\d\d true undefined$/u);
        }
      },
    );
  });

  describe.each(forms)("a body above the operation's own limit, sent %s", (_form, isChunked) => {
    test.each(chosen.filter((operation) => takesBody(operation) && limitOf(operation) < maxBodyBytes))(
      "is 413 or 400 at $operationId",
      async (operation) => {
        for (const outcome of await outcomes(operation, maxBodyBytes - 1000, isChunked)) {
          expect(["413 true undefined", "400 true undefined"]).toContain(outcome);
        }
      },
    );
  });
}

function testBrokenUploads(): void {
  test.each(["issueToken", "registerClient", "autodiscover", "login"])(
    "an endless body is answered at %s",
    async (id) => {
      const operation = takingBodies.find(({ operationId }) => operationId === id);
      if (operation === undefined) throw new Error("no such operation");
      const { status, isWhole } = await upload(operation, 10_000_000, true);
      expect([400, 413]).toContain(status);
      expect(isWhole).toBe(true);
    },
  );

  describe.each([
    ["a client that hangs up", ""],
    ["a malformed chunk", "\r\nno chunk\r\n"],
  ])("%s within a body", (_what, rest) => {
    test("leaves every operation working", async () => {
      for (const operation of takingBodies) await breakOff(operation, rest);
      expect((await fetch(`${stack.url}/healthz`)).status).toBe(200);
    });
  });

  test("no upload looks like an outage", async () => {
    await poll("an answer after all uploads", async () => (await fetch(`${stack.url}/healthz`)).ok || undefined);
    expect(stack.gateway.output()).not.toContain("service behind");
    expect(await stack.gateway.metrics()).not.toMatch(/^\w*forward_failures_total\{.*\} [1-9]/mu);
  });
}

/** Uploads to the operations; those that hold for all are sent to each. */
export function testOversizedBodies(chosen: readonly Operation[]): void {
  beforeAll(async () => {
    folder = await scratchFolder();
    const httpPort = await freePort();
    const hook = await writeHook(folder.path);
    const settings = stackSettings(`http://127.0.0.1:${httpPort}`, hook, `${folder.path}/audit.log`);
    const env = { SERVICE_RUNTIME_SERVERS_HTTP_MAX_BODY_BYTES: String(maxBodyBytes) };
    stack = await startStack({ httpPort, redis: true, services: ["admin", "idp"], settings, env });
  });

  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  testLimits(chosen);
  testBrokenUploads();
}
