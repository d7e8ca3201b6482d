import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askDialect, statusesOf } from "../../support/dialects.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { type Stack } from "../../support/stack.ts";
import {
  login,
  passwordOf,
  slowPassword,
  slowUser,
  startGuessedStack,
  statusOf,
  userCount,
  userName,
} from "./guessed-stack.ts";

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

async function sumOfAllEngines(series: RegExp): Promise<number> {
  const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
  return pages.reduce((sum, page) => sum + Number(series.exec(page)?.[1] ?? 0), 0);
}

/** Passwords that the backend found right. */
const rightAnswers = () => sumOfAllEngines(/^service_directory_seconds_count\{kind="sql",outcome="ok"\} (\d+)$/mu);
const checksUnderWay = () => sumOfAllEngines(/^service_hashing_running (\d+)$/mu);

/** A slow login during which ten guesses reached the limit; undefined if it finished before the last of them, or took too long. */
async function overtaken(clientIp: string) {
  const slow = login(stack, { clientIp, user: slowUser, password: slowPassword });
  await poll("the slow login to be past its first check of the ban", async () => (await checksUnderWay()) > 0);
  await Promise.all(
    Array.from({ length: 10 }, (_, index) => statusOf(stack, { clientIp, password: `guess-${index}` })),
  );
  const wasUnderWay = (await checksUnderWay()) > 0;
  const answer = await slow;
  return wasUnderWay && answer.status !== 500 ? answer : undefined;
}

describe("a guesser", () => {
  test("the ban is in force when the last of 60 parallel guesses is answered: the correct password is refused", async () => {
    const before = await bansOfAllEngines();
    const clientIp = "192.0.2.10";
    const guesses = await Promise.all(
      Array.from({ length: 60 }, (_, index) => statusOf(stack, { clientIp, password: `guess-${index}` })),
    );
    expect(new Set(guesses)).toEqual(new Set([403]));
    expect(await statusOf(stack, { clientIp, password: passwordOf(0) })).toBe(403);
    expect(await bansOfAllEngines()).toBe(before + 1);
  });

  test("is banned by the tenth failure, not by the ninth; the ban covers the whole /24 and no other network", async () => {
    const guess = (count: number) => statusOf(stack, { clientIp: `198.51.100.${count}`, password: `guess-${count}` });
    for (let count = 1; count <= 9; count += 1) expect(await guess(count)).toBe(403);
    expect(await statusOf(stack, { clientIp: "198.51.100.77", password: passwordOf(1), user: userName(1) })).toBe(200);
    expect(await guess(10)).toBe(403);
    expect(await statusOf(stack, { clientIp: "198.51.100.77", password: passwordOf(1), user: userName(1) })).toBe(403);
    expect(await statusOf(stack, { clientIp: "198.51.101.77", password: passwordOf(0) })).toBe(200);
  });

  test("with 100 different wrong passwords for one account is banned, and the account stays accessible from other networks", async () => {
    const clientIp = "192.0.3.10";
    for (let start = 0; start < 100; start += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, index) => statusOf(stack, { clientIp, password: `guess-${start + index}` })),
      );
    }
    expect(await statusOf(stack, { clientIp, password: passwordOf(0) })).toBe(403);
    expect(await statusOf(stack, { clientIp: "192.0.4.10", password: passwordOf(0) })).toBe(200);
  });

  test("is refused although the correct password was verified while the limit was reached", async () => {
    let before = Number.NaN;
    let network = 100;
    // On a busy machine the guesses may be slower than the login; then the test tries again from another network.
    const { status, headers } = await poll("a login that guesses overtook", async () => {
      before = await rightAnswers();
      network += 1;
      return overtaken(`192.0.${network}.10`);
    });
    const session = headers.get("x-service-session") ?? undefined;
    expect(status).toBe(403);
    expect(await logLineOf(stack.gateway, session, "decided")).toMatchObject({ outcome: "blocked", reason: "ipv4" });
    // The backend accepted the password; the second check of the ban refused the login.
    expect(await rightAnswers()).toBe(before + 1);
  });

  test("is one source with all addresses of a /64", async () => {
    for (let start = 0; start < 100; start += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          statusOf(stack, { clientIp: `2001:db8:5:5::${(start + index).toString(16)}`, password: `guess-${index}` }),
        ),
      );
    }
    const right = { password: passwordOf(0) };
    expect(await statusOf(stack, { ...right, clientIp: "2001:db8:5:5:aaaa::1" })).toBe(403);
    expect(await statusOf(stack, { ...right, clientIp: "2001:db8:5:6::1" })).toBe(200);
  });

  test("finds no rule in the refusal, which is logged with the rule and looks like any denial", async () => {
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

describe("responses to banned and failed logins", () => {
  const clientIp = "192.0.8.10";

  beforeAll(async () => {
    for (let index = 0; index < 10; index += 1) await statusOf(stack, { clientIp, password: `guess-${index}` });
  });

  test.each(["json", "cbor", "header", "proxy"] as const)(
    "Auth-Wait of a blocked login by %s: from 1 s, and 0 at max_login_attempts",
    async (dialect) => {
      const user = { username: userName(0), password: passwordOf(0), clientIp };
      const answers = await Promise.all(
        [1, 14, 15].map((attempt) => askDialect(stack.url, dialect, { ...user, attempt })),
      );
      expect(answers.map((answer) => answer.header("Auth-Wait"))).toEqual(["1", "10", "0"]);
      const { denial } = statusesOf(dialect);
      expect(answers.map((answer) => answer.status)).toEqual([denial, denial, denial]);
    },
  );

  test("a long name is shortened to 256 characters in the log line", async () => {
    const answer = await login(stack, { clientIp: "192.0.90.10", user: "ü".repeat(400), password: "x" });
    expect([answer.status, answer.body]).toEqual([403, "null"]);
    const line = await logLineOf(stack.gateway, answer.headers.get("x-service-session") ?? undefined, "decided");
    expect(line["username"]).toBe(`${"ü".repeat(256)}…`);
  });

  test("the log line of each failure contains the history of wrong passwords", async () => {
    const seen: unknown[] = [];
    for (const [index, password] of ["one", "two", "two"].entries()) {
      const answer = await login(stack, { clientIp: "192.0.9.10", user: userName(index > 1 ? 1 : 0), password });
      const line = await logLineOf(stack.gateway, answer.headers.get("x-service-session") ?? undefined, "decided");
      seen.push([line["account_passwords_seen"], line["total_passwords_seen"]]);
    }
    expect(seen).toEqual([
      [1, 1],
      [2, 2],
      [1, 3],
    ]);
  });
});

describe("legitimate users", () => {
  test("are not banned for the same wrong password 100 times", async () => {
    const clientIp = "192.0.5.10";
    for (let start = 0; start < 100; start += 50) {
      await Promise.all(Array.from({ length: 50 }, () => statusOf(stack, { clientIp, password: "last year's" })));
    }
    expect(await statusOf(stack, { clientIp, password: passwordOf(0) })).toBe(200);
  });

  test("200 behind one address with 3 % typing errors are not banned; a password sprayer at the same address is", async () => {
    const clientIp = "192.0.6.10";
    const denied: number[] = [];
    const visit = async (attempt: number): Promise<void> => {
      const index = attempt % userCount;
      const at = { clientIp, user: userName(index) };
      // Every thirty-third makes a typing error, and then types the correct password.
      if (attempt % 33 === 0) await statusOf(stack, { ...at, password: `typo-${attempt}` });
      if ((await statusOf(stack, { ...at, password: passwordOf(index) })) !== 200) denied.push(attempt);
    };
    for (let first = 0; first < 2 * userCount; first += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, offset) => visit(first + offset)));
    }
    expect(denied).toEqual([]);
    for (let index = 0; index < 40; index += 1) {
      await statusOf(stack, { clientIp, user: userName(index), password: "Winter2026!" });
    }
    expect(await statusOf(stack, { clientIp, user: userName(7), password: passwordOf(7) })).toBe(403);
  });

  test("are never counted at an address of the allow-list", async () => {
    const clientIp = "203.0.113.250";
    for (let index = 0; index < 20; index += 1) await statusOf(stack, { clientIp, password: `guess-${index}` });
    expect(await statusOf(stack, { clientIp, password: passwordOf(0) })).toBe(200);
    expect(await statusOf(stack, { clientIp: "203.0.113.1", password: passwordOf(0) })).toBe(200);
  });
});
