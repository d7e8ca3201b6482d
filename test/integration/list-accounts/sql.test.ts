import { join } from "node:path";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountsBackends, createAccountsDatabase } from "../../support/accounts-database.ts";
import { askAccounts, firstBytes, pagesHeld, pagesRead, residentMiB, wholeBody } from "../../support/ask-accounts.ts";
import { sessionId } from "../../support/dialects.ts";
import { type Stack, startStack } from "../../support/stack.ts";

const count = 100_000;
/** Long enough that the buffers of sockets hold only a part of the list. */
const nameLength = 200;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    engines: 2,
    backends: (folder) => {
      const file = join(folder, "accounts.sqlite");
      createAccountsDatabase({ file, count, nameLength });
      return accountsBackends(file);
    },
    settings: { runtime: { timeouts: { decision: "2s" } } },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

const pagesOfAll = async (): Promise<number> => {
  const each = await Promise.all(stack.engines.map(pagesRead));
  return each.reduce((sum, pages) => sum + pages, 0);
};

describe("mode=list-accounts (contract, Query parameters)", () => {
  test("returns every account once, read from both engines, with neither a user nor a password in the request", async () => {
    const response = await askAccounts(stack.url, { accept: "application/json" });
    expect([response.statusCode, response.headers["auth-status"]]).toEqual([200, "OK"]);
    expect(response.headers["x-service-session"]).toMatch(sessionId);
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
    const names: unknown = JSON.parse((await wholeBody(response)).toString());
    if (!Array.isArray(names)) throw new Error("not an array");
    expect(names).toHaveLength(count);
    expect(new Set(names).size).toBe(count);
    expect(names[0]).toMatch(/^u0000001x+@example\.test$/);
    for (const engine of stack.engines) expect(await pagesRead(engine)).toBeGreaterThan(0);
  });

  test("without an Accept field, application/cbor is one complete array", async () => {
    const response = await askAccounts(stack.url);
    expect(response.headers["content-type"]).toBe("application/cbor");
    const body = await wholeBody(response);
    expect([body.at(0), body.at(-1)]).toEqual([0x9f, 0xff]);
    expect(body.length).toBe(2 + count * (2 + nameLength));
  });

  test("text/plain: names separated by CRLF", async () => {
    const response = await askAccounts(stack.url, { accept: "text/plain" });
    expect(response.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect((await wholeBody(response)).toString().split("\r\n")).toHaveLength(count);
  });

  test("415 if no acceptable media type is offered, before a backend is queried", async () => {
    const before = await pagesOfAll();
    const response = await askAccounts(stack.url, { accept: "text/html, application/cbor;q=0" });
    expect(response.statusCode).toBe(415);
    expect(JSON.parse((await wholeBody(response)).toString())).toEqual({ error: expect.any(String) });
    expect(await pagesOfAll()).toBe(before);
  });

  test("500 if no backend lists accounts for the protocol", async () => {
    const response = await askAccounts(stack.url, { body: { protocol: "smtp" } });
    expect(response.statusCode).toBe(500);
    expect(JSON.parse((await wholeBody(response)).toString())).toEqual({ error: expect.any(String) });
  });

  test("one log line contains the number of accounts", async () => {
    const listed = await poll("the log line", () =>
      stack.gateway
        .output()
        .split("\n")
        .find((line) => line.includes(`"accounts":${count}`)),
    );
    expect(JSON.parse(listed)).toMatchObject({ operation: "list-accounts", outcome: "ok", left_out: 0 });
  });
});

describe("a slow client", () => {
  test("delays the list without increasing memory use; the list ends when it disconnects", async () => {
    const before = await pagesOfAll();
    const memory = residentMiB(stack.gateway);
    const response = await askAccounts(stack.url, { accept: "text/plain" });
    await firstBytes(response);
    const held = await pagesHeld(stack.engines);
    expect(held - before).toBeLessThan(count / 500);
    expect(residentMiB(stack.gateway) - memory).toBeLessThan(32);
    response.destroy();
    await poll("the end of the list", () => /"reason":"REQUEST_ABORTED"/.test(stack.gateway.output()));
    expect(await pagesOfAll()).toBeLessThanOrEqual(held + 1);
  });
});

describe("engines that stop while a list is read", () => {
  test("when one of two engines drains, the other one delivers the rest", async () => {
    const response = await askAccounts(stack.url, { accept: "text/plain" });
    await firstBytes(response);
    const leaving = stack.engines.pop();
    await leaving?.stop();
    const rest = await wholeBody(response);
    expect(rest.toString().split("\r\n")).toHaveLength(count);
  });

  test("when the last one is killed, the connection is cut, and the next request is a temporary failure", async () => {
    const response = await askAccounts(stack.url, { accept: "text/plain" });
    await firstBytes(response);
    for (const engine of stack.engines.splice(0)) engine.signal("SIGKILL");
    await expect(wholeBody(response)).rejects.toThrow(/aborted|ECONNRESET/);
    const next = await askAccounts(stack.url, { accept: "text/plain" });
    expect([next.statusCode, next.headers["auth-status"]]).toEqual([500, expect.stringMatching(/Temporary/)]);
    expect(JSON.parse((await wholeBody(next)).toString())).toEqual({ error: expect.any(String) });
  });
});
