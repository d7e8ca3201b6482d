import { poll, type Slapd } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import type { HoldingProxy } from "../../support/holding-proxy.ts";
import type { Stack } from "../../support/stack.ts";
import { alice, groups, inFlightOfEngine, type LdapStack, startLdapStack } from "./ldap-decision-stack.ts";

let site: LdapStack;
let slapd: Slapd;
let proxy: HoldingProxy;
let stack: Stack;

beforeAll(async () => {
  site = await startLdapStack();
  ({ slapd, proxy, stack } = site);
});

afterAll(() => site[Symbol.asyncDispose]());

/** Temporary failures of sign-ins, as each engine has logged them. */
const undecided = (): readonly number[] =>
  stack.engines.map((engine) => engine.output().split("could not decide").length - 1);

describe("an LDAP outage (failure matrix, LDAP rows)", () => {
  test("a directory that is frozen after the password was verified is a temporary failure at both engines, never a success with fewer groups", async () => {
    const before = undecided();
    proxy.hold(groups);
    const first = askJson(stack.url, alice);
    await poll("a search for groups", () => proxy.held() === 1);
    // The gateway chooses the engine with fewer unanswered requests.
    const second = askJson(stack.url, alice);
    await poll("a search for groups by the other engine", () => proxy.held() === 2);
    await slapd.pause();
    proxy.release();
    for (const { status, body } of await Promise.all([first, second])) {
      expect([status, Object.keys(JSON.parse(body))]).toEqual([500, ["error"]]);
    }
    await poll("the log line of each engine", () => undecided().every((count, index) => count > (before[index] ?? 0)));
    slapd.resume();
    await poll("the directory to recover", async () => {
      const answers = await Promise.all(Array.from({ length: inFlightOfEngine }, () => askJson(stack.url, alice)));
      const right = answers.filter(({ status }) => status === 200);
      for (const { body } of right) {
        expect(JSON.parse(body).attributes.memberships.toSorted()).toEqual(["employees", "staff"]);
      }
      return right.length === answers.length;
    });
  });

  test("a killed directory is a temporary failure, and decisions are right again once it is back", async () => {
    await slapd.kill();
    const { status, body } = await askJson(stack.url, alice);
    expect([status, Object.keys(JSON.parse(body))]).toEqual([500, ["error"]]);
    await slapd.start();
    await poll("the directory to recover", async () => (await askJson(stack.url, alice)).status === 200);
  });

  test("a directory that hangs is a temporary failure, and decisions are right again afterwards", async () => {
    await slapd.pause();
    expect((await askJson(stack.url, alice)).status).toBe(500);
    slapd.resume();
    await poll("the directory to recover", async () => (await askJson(stack.url, alice)).status === 200);
  });

  test("while it hangs, requests above the engines' limit are rejected without waiting for it", async () => {
    const rejected = async (): Promise<number> => {
      const series = /service_bus_requests_failed_total\{code="OVERLOADED"\} (\d+)/;
      return Number(series.exec(await stack.gateway.metrics())?.[1] ?? 0);
    };
    const before = await rejected();
    await slapd.pause();
    const excess = 4;
    const requests = stack.engines.length * inFlightOfEngine + excess;
    const answers = await Promise.all(Array.from({ length: requests }, () => askJson(stack.url, alice)));
    slapd.resume();
    for (const { status, body } of answers) expect([status, Object.keys(JSON.parse(body))]).toEqual([500, ["error"]]);
    // More if a busy machine delays the heartbeats of an engine: its requests are sent to the other one, which is full too.
    expect(await rejected()).toBeGreaterThanOrEqual(before + excess);
    await poll("the directory to recover", async () => (await askJson(stack.url, alice)).status === 200);
  });
});
