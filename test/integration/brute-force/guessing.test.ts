import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logLineOf } from "../../support/log-lines.ts";
import type { Stack } from "../../support/stack.ts";
import { login, passwordOf, startGuessedStack, statusOf, userCount, userName } from "./guessed-stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startGuessedStack();
});

afterAll(() => stack[Symbol.asyncDispose]());

async function bansOfAllEngines(): Promise<number> {
  const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
  const lines = pages.join("\n").matchAll(/^service_brute_force_bans_total\{rule="[a-z0-9]+"\} (\d+)$/gmu);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

describe("a guesser", () => {
  test("after 60 parallel guesses the right password is refused, and one ban was made", async () => {
    const before = await bansOfAllEngines();
    const clientIp = "192.0.2.10";
    const guesses = await Promise.all(
      Array.from({ length: 60 }, (_, index) => statusOf(stack, { clientIp, password: `guess-${index}` })),
    );
    expect(new Set(guesses)).toEqual(new Set([403]));
    expect(await statusOf(stack, { clientIp, password: passwordOf(0) })).toBe(403);
    expect(await bansOfAllEngines()).toBe(before + 1);
  });

  test("the tenth failure bans, not the ninth; the whole /24 and no other network", async () => {
    const guess = (count: number) => statusOf(stack, { clientIp: `198.51.100.${count}`, password: `guess-${count}` });
    for (let count = 1; count <= 9; count += 1) expect(await guess(count)).toBe(403);
    expect(await statusOf(stack, { clientIp: "198.51.100.77", password: passwordOf(1), user: userName(1) })).toBe(200);
    expect(await guess(10)).toBe(403);
    expect(await statusOf(stack, { clientIp: "198.51.100.77", password: passwordOf(1), user: userName(1) })).toBe(403);
    expect(await statusOf(stack, { clientIp: "198.51.101.77", password: passwordOf(0) })).toBe(200);
  });

  test("500 different wrong passwords for one account ban their network, and lock the account nowhere else", async () => {
    const clientIp = "192.0.3.10";
    for (let start = 0; start < 500; start += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, index) => statusOf(stack, { clientIp, password: `guess-${start + index}` })),
      );
    }
    expect(await statusOf(stack, { clientIp, password: passwordOf(0) })).toBe(403);
    expect(await statusOf(stack, { clientIp: "192.0.4.10", password: passwordOf(0) })).toBe(200);
  });

  test("many addresses of one /64 are one source", async () => {
    const addresses = Array.from({ length: 100 }, (_, index) => `2001:db8:5:5::${index.toString(16)}`);
    await Promise.all(addresses.map((clientIp, index) => statusOf(stack, { clientIp, password: `guess-${index}` })));
    const right = { password: passwordOf(0) };
    expect(await statusOf(stack, { ...right, clientIp: "2001:db8:5:5:aaaa::1" })).toBe(403);
    expect(await statusOf(stack, { ...right, clientIp: "2001:db8:5:6::1" })).toBe(200);
  });

  test("the refusal names its rule in the log, and looks like any denial", async () => {
    const blocked = await login(stack, { clientIp: "192.0.2.11", password: passwordOf(0) });
    expect([blocked.status, blocked.headers.get("auth-status"), blocked.headers.get("auth-wait")]).toEqual([
      403,
      "FAIL",
      "1",
    ]);
    const session = blocked.headers.get("x-service-session") ?? undefined;
    expect(await logLineOf(stack.gateway, session, "decided")).toMatchObject({ outcome: "blocked", reason: "ipv4" });
    const last = await login(stack, { clientIp: "192.0.2.11", password: passwordOf(0), attempt: 15 });
    expect(last.headers.get("auth-wait")).toBe("0");
  });
});

describe("honest users", () => {
  test("the same wrong password 500 times bans nobody", async () => {
    const clientIp = "192.0.5.10";
    for (let start = 0; start < 500; start += 50) {
      await Promise.all(Array.from({ length: 50 }, () => statusOf(stack, { clientIp, password: "last year's" })));
    }
    expect(await statusOf(stack, { clientIp, password: passwordOf(0) })).toBe(200);
  });

  test("200 users behind one address with 3 % typos stay in; a sprayer at the same address is stopped", async () => {
    const clientIp = "192.0.6.10";
    const denied: number[] = [];
    for (let attempt = 0; attempt < 5 * userCount; attempt += 1) {
      const index = attempt % userCount;
      const at = { clientIp, user: userName(index) };
      // Every thirty-third mistypes, and then types it right.
      if (attempt % 33 === 0) await statusOf(stack, { ...at, password: `typo-${attempt}` });
      if ((await statusOf(stack, { ...at, password: passwordOf(index) })) !== 200) denied.push(attempt);
    }
    expect(denied).toEqual([]);
    for (let index = 0; index < 40; index += 1) {
      await statusOf(stack, { clientIp, user: userName(index), password: "Winter2026!" });
    }
    expect(await statusOf(stack, { clientIp, user: userName(7), password: passwordOf(7) })).toBe(403);
  }, 60_000);

  test("addresses of the allow-list are never counted", async () => {
    const clientIp = "203.0.113.250";
    for (let index = 0; index < 20; index += 1) await statusOf(stack, { clientIp, password: `guess-${index}` });
    expect(await statusOf(stack, { clientIp, password: passwordOf(0) })).toBe(200);
    expect(await statusOf(stack, { clientIp: "203.0.113.1", password: passwordOf(0) })).toBe(200);
  });
});
