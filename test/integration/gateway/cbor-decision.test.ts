import * as http from "node:http";
import { encodeCbor } from "@postern/shared/platform/cbor";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askCbor } from "../../support/ask-cbor.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { sessionId } from "../../support/dialects.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ shape: "five" });
});

afterAll(() => stack[Symbol.asyncDispose]());

const mebibyte = 1_048_576;

/** A valid request of exactly this many bytes, filled up by its password. */
function requestOf(bytes: number): Uint8Array<ArrayBuffer> {
  const empty = encodeCbor({ ...alice, password: "" });
  // The CBOR head of the password grows from one byte to five.
  return Uint8Array.from(encodeCbor({ ...alice, password: "x".repeat(bytes - empty.length - 4) }));
}

const hostileBodies: readonly (readonly [string, Uint8Array<ArrayBuffer>])[] = [
  ["1 MiB and a byte", requestOf(mebibyte + 1)],
  ["100,000 arrays in each other", new Uint8Array(100_000).fill(0x81)],
  ["100,000 maps in each other", Uint8Array.from(Buffer.from("a16161".repeat(100_000), "hex"))],
  ["1 MiB of empty arrays", new Uint8Array(mebibyte).fill(0x80)],
  ["an array that promises 2^64 elements", Uint8Array.from(Buffer.from("9bffffffffffffffff", "hex"))],
  ["a map that promises 2^32 pairs", Uint8Array.from(Buffer.from("baffffffff", "hex"))],
  ["a text that promises 2^63 bytes", Uint8Array.from(Buffer.from("7b7fffffffffffffff", "hex"))],
  ["bytes that promise 4 GiB", Uint8Array.from(Buffer.from("5affffffff", "hex"))],
  ["an indefinite map", Uint8Array.from(Buffer.from("bfff", "hex"))],
  ["a tag", Uint8Array.from(Buffer.from("d9d9f7a0", "hex"))],
  ["nothing", new Uint8Array()],
];

describe("POST /api/v1/auth/cbor (contract, Authentication endpoints)", () => {
  test("answers 200, Auth-Status OK and the success object as a map", async () => {
    const { status, headers, body, bytes } = await askCbor(stack.url, alice);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/cbor");
    expect(headers.get("auth-status")).toBe("OK");
    expect(headers.get("auth-user")).toBe("alice@example.test");
    expect(headers.get("x-service-session")).toMatch(sessionId);
    expect(headers.get("x-service-memory-cache")).toMatch(/^(Hit|Miss)$/);
    const attributes = {
      displayName: ["Alice Example"],
      mail: ["alice@example.test"],
      uid: ["alice"],
      account: ["alice@example.test"],
    };
    const object = { ok: true, account_field: "account", totp_secret_field: "", backend: 8, attributes };
    expect(bytes).toEqual(encodeCbor(object));
    expect(body).toEqual(
      new Map<string, unknown>([...Object.entries(object), ["attributes", new Map(Object.entries(attributes))]]),
    );
  });

  test("answers 403, the rendered message and CBOR null to a wrong password and to an unknown user", async () => {
    for (const change of [{ password: "wrong" }, { username: "nobody@example.test" }, { password: "" }]) {
      const { status, headers, bytes } = await askCbor(stack.url, { ...alice, ...change });
      expect([status, headers.get("auth-status"), bytes.toString("hex")]).toEqual([
        403,
        "Invalid login or password",
        "f6",
      ]);
      expect(headers.get("content-type")).toBe("application/cbor");
      expect(headers.get("x-service-session")).toMatch(sessionId);
    }
  });

  test("mode=no-auth needs no password", async () => {
    const { username } = alice;
    const known = await askCbor(stack.url, { username, protocol: "imap" }, { query: "?mode=no-auth" });
    expect([known.status, known.headers.get("auth-user")]).toEqual([200, username]);
  });

  test("accepts in-memory=0 and cache=0", async () => {
    expect((await askCbor(stack.url, alice, { query: "?in-memory=0&cache=0" })).status).toBe(200);
  });

  test("reads a body of exactly 1 MiB", async () => {
    const body = requestOf(mebibyte);
    expect(body).toHaveLength(mebibyte);
    expect((await askCbor(stack.url, body)).status).toBe(403);
  });

  test.each([
    ...hostileBodies.map(([what, body]) => [what, body, {}] as const),
    ["an unknown field", { ...alice, service: "imap" }, {}] as const,
    ["another media type", alice, { "content-type": "application/json" }] as const,
    ["an invalid media type", alice, { "content-type": "nonsense" }] as const,
    ["a missing username", { password: "x" }, {}] as const,
  ])("answers 400, as CBOR, to %s", async (_what, body, headers) => {
    const answer = await askCbor(stack.url, body, { headers });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([400, "application/cbor"]);
    expect(answer.body).toEqual(new Map([["error", expect.any(String)]]));
    expect(answer.headers.get("x-service-session")).toMatch(sessionId);
    expect(answer.headers.get("auth-status")).toBeNull();
  });

  test("answers 401 without a body to an API caller without credentials, as every dialect does", async () => {
    const { status, body } = await askCbor(stack.url, alice, { headers: { authorization: "Basic eDp5" } });
    expect([status, body]).toEqual([401, undefined]);
  });
});

async function residentMiB(): Promise<number> {
  const [, bytes] = /^process_resident_memory_bytes (\S+)$/m.exec(await stack.gateway.metrics()) ?? [];
  return Number(bytes) / mebibyte;
}

async function sendAllHostile(): Promise<number[]> {
  const statuses: number[] = [];
  for (const [, body] of hostileBodies) statuses.push((await askCbor(stack.url, body)).status);
  return statuses;
}

async function attack(clients: number): Promise<number[]> {
  return (await Promise.all(Array.from({ length: clients }, sendAllHostile))).flat();
}

/** Sends zeros in pieces, without a Content-Length, until a response arrives. */
async function sendUntilAnswered(): Promise<{ readonly status: number | undefined; readonly sentBytes: number }> {
  const headers = { authorization: basicAuth, "content-type": "application/cbor" };
  const request = http.request(`${stack.url}/api/v1/auth/cbor`, { method: "POST", headers });
  const piece = Buffer.alloc(65_536);
  let sentBytes = 0;
  const send = (): void => {
    let room = true;
    while (room && sentBytes < 64 * mebibyte) {
      sentBytes += piece.length;
      room = request.write(piece);
    }
  };
  request.on("drain", send);
  send();
  const status = await new Promise<number | undefined>((resolve, reject) => {
    request.on("response", ({ statusCode }) => resolve(statusCode));
    request.on("error", reject);
  });
  request.off("drain", send);
  request.destroy();
  return { status, sentBytes };
}

describe("hostile bodies", () => {
  test("do not take up memory permanently, and other requests are decided meanwhile", async () => {
    await attack(10);
    const before = await residentMiB();
    const attacked = { over: false, decided: 0 };
    const askMeanwhile = async (): Promise<void> => {
      while (!attacked.over) {
        expect((await askJson(stack.url, { ...alice, password: "" })).status).toBe(403);
        attacked.decided += 1;
      }
    };
    const meanwhile = askMeanwhile();
    const statuses = new Set<number>();
    do {
      for (const status of await attack(20)) statuses.add(status);
    } while (attacked.decided < 6);
    attacked.over = true;
    await meanwhile;
    expect(statuses).toEqual(new Set([400]));
    expect((await residentMiB()) - before).toBeLessThan(100);
  });

  test("without a Content-Length are cut off at the limit", async () => {
    const { status, sentBytes } = await sendUntilAnswered();
    expect(status).toBe(400);
    expect(sentBytes).toBeLessThan(64 * mebibyte);
  });
});

describe("a disabled endpoint and an outage", () => {
  test("disabled_endpoints.auth_cbor answers 404 and leaves JSON available", async () => {
    await stack.reloadGateway({ runtime: { servers: { http: { disabled_endpoints: { auth_cbor: true } } } } });
    await poll("the endpoint to be disabled", async () => (await askCbor(stack.url, alice)).status === 404);
    expect((await askJson(stack.url, alice)).status).toBe(200);
    await stack.reloadGateway({});
    await poll("the endpoint to be enabled again", async () => (await askCbor(stack.url, alice)).status === 200);
  });

  test("without an engine, the response is 500 with {error} and the same message in Auth-Status", async () => {
    await Promise.all(stack.engines.map((engine) => engine.stop()));
    const { status, headers, body } = await askCbor(stack.url, alice);
    expect([status, headers.get("content-type")]).toEqual([500, "application/cbor"]);
    expect(body).toEqual(new Map([["error", headers.get("auth-status")]]));
    expect(headers.get("auth-status")).not.toBe("FAIL");
  });
});
