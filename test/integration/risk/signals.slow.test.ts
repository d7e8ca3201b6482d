import { hash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mmdbFile, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import type { Stack } from "../../support/stack.ts";
import { login, passwordOf, startGuessedStack, userName } from "../brute-force/guessed-stack.ts";
import { atEachEngine, remembered } from "./sign-ins.ts";

const home = "192.0.2.7";
/** Each in a country and a system of its own. */
const abroad = ["198.51.100.7", "198.51.101.7", "198.51.102.7"] as const;
const [lagos] = abroad;
const listed = "203.0.115.7";
/** In the user's country, in another system. */
const cafe = "192.0.3.7";
const unknown = "203.0.113.7";

const at = (country: string, latitude: number, longitude: number) => ({
  country: { iso_code: country },
  location: { latitude, longitude },
});
const system = (number: number) => ({ autonomous_system_number: number });

let folder: Awaited<ReturnType<typeof scratchFolder>>;

beforeAll(async () => {
  folder = await scratchFolder();
  const cities = {
    "192.0.2.0/24": at("DE", 52.5, 13.4),
    "192.0.3.0/24": at("DE", 52.5, 13.4),
    "198.51.100.0/24": at("NG", 6.5, 3.4),
    "198.51.101.0/24": at("BR", -23.5, -46.6),
    "198.51.102.0/24": at("VN", 21, 105.8),
  };
  const systems = {
    "192.0.2.0/24": system(64_500),
    "192.0.3.0/24": system(64_501),
    "198.51.100.0/24": system(64_502),
    "198.51.101.0/24": system(64_503),
    "198.51.102.0/24": system(64_504),
  };
  writeFileSync(join(folder.path, "city.mmdb"), mmdbFile("City", cities));
  writeFileSync(join(folder.path, "system.mmdb"), mmdbFile("ASN", systems));
  writeFileSync(join(folder.path, "networks"), "# of bad reputation\n203.0.115.0/24 20\n");
});

afterAll(() => folder[Symbol.asyncDispose]());

const startRiskStack = (risk: object, more: Parameters<typeof startGuessedStack>[0] = {}): Promise<Stack> =>
  startGuessedStack({
    cached: true,
    ...more,
    risk: {
      learn_for: "0s",
      city_file: join(folder.path, "city.mmdb"),
      system_file: join(folder.path, "system.mmdb"),
      reputation_files: [join(folder.path, "networks"), join(folder.path, "absent")],
      ...risk,
    },
  });

async function signIn(stack: Stack, index: number, clientIp: string, protocol = "imap", program = "Thunderbird/140") {
  const { status, headers } = await askJson(stack.url, {
    client_ip: clientIp,
    username: userName(index),
    password: passwordOf(index),
    protocol,
    user_agent: program,
  });
  const line = await logLineOf(stack.gateway, headers.get("x-service-session") ?? undefined, "decided");
  return { status, line, signals: String(line["risk_signals"] ?? "").split(" ") };
}

/** Signs in at home, and waits until the engines remember it. */
async function settle(stack: Stack, index: number): Promise<void> {
  const { status } = await remembered(stack, { account: userName(index) }, () => signIn(stack, index, home));
  expect(status).toBe(200);
}

/** Whether each engine raises the signal. */
async function areRaised(stack: Stack, signals: readonly string[], again: () => ReturnType<typeof signIn>) {
  const outcomes = await atEachEngine(stack, again, (one) => signals.every((signal) => one.signals.includes(signal)));
  return outcomes.length === 2;
}

describe("each signal is raised at two engines", () => {
  let stack: Stack;
  beforeAll(async () => {
    const limits = { systems_per_hour: 3, submissions_per_hour: 5, submission_networks: 3 };
    stack = await startRiskStack({
      known_after: "1h",
      limits: { ...limits, guessing_networks: 3, sprayed_accounts: 3, strange_accounts: 4 },
    });
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  test("many_countries and many_systems", async () => {
    await settle(stack, 0);
    for (const clientIp of abroad.slice(0, 2)) await signIn(stack, 0, clientIp);
    expect(await areRaised(stack, ["many_countries", "many_systems"], () => signIn(stack, 0, abroad[2]))).toBe(true);
  });

  test("many_submissions, from a network that is not yet known", async () => {
    await settle(stack, 1);
    expect(await areRaised(stack, ["many_submissions"], () => signIn(stack, 1, home, "smtp"))).toBe(true);
    for (const { signals } of await atEachEngine(stack, () => signIn(stack, 1, home, "imap"))) {
      expect(signals).not.toContain("many_submissions");
    }
  });

  test("scattered_submissions, from networks of one system", async () => {
    await settle(stack, 2);
    let host = 0;
    const again = () => {
      host += 1;
      return signIn(stack, 2, `203.0.${host % 100}.7`, "smtp");
    };
    expect(await areRaised(stack, ["scattered_submissions"], again)).toBe(true);
  });

  test("guessed_account", async () => {
    await settle(stack, 3);
    for (let index = 0; index < 12; index += 1) {
      await login(stack, { clientIp: `100.64.${index}.7`, user: userName(3), password: `guess-${index}` });
    }
    expect(await areRaised(stack, ["guessed_account"], () => signIn(stack, 3, cafe))).toBe(true);
  });

  test("spraying_source, for the account whose password it found", async () => {
    await settle(stack, 4);
    for (let index = 20; index < 28; index += 1) {
      await login(stack, { clientIp: unknown, user: userName(index), password: "Summer2026!" });
    }
    expect(await areRaised(stack, ["spraying_source"], () => signIn(stack, 4, unknown))).toBe(true);
  });

  test("strange_accounts, from a network that none of the accounts knows", async () => {
    const accounts = Array.from({ length: 8 }, (_, index) => 40 + index);
    for (const index of accounts) await settle(stack, index);
    const collector = "203.0.114.7";
    for (const index of accounts) expect((await signIn(stack, index, collector)).status).toBe(200);
    expect(await areRaised(stack, ["strange_accounts"], () => signIn(stack, 40, collector))).toBe(true);
    for (const { signals } of await atEachEngine(stack, () => signIn(stack, 40, home))) {
      expect(signals).not.toContain("strange_accounts");
    }
  });

  test("listed_network, in whatever program", async () => {
    await settle(stack, 5);
    for (const program of ["Thunderbird/141 (Linux)", "python-imaplib"]) {
      const outcomes = await atEachEngine(stack, () => signIn(stack, 5, listed, "imap", program));
      for (const { signals } of outcomes) expect(signals).toContain("listed_network");
    }
  });

  test("new_client, for a program whose family the account does not know", async () => {
    await settle(stack, 6);
    for (const { signals } of await atEachEngine(stack, () => signIn(stack, 6, cafe, "imap", "Thunderbird/141"))) {
      expect(signals).not.toContain("new_client");
    }
    await settle(stack, 7);
    const doubted = () => signIn(stack, 7, lagos, "imap", "go-imap/1.2");
    // From a suspicious sign-in, the account learns no program.
    for (const { signals } of await atEachEngine(stack, doubted)) expect(signals).toContain("new_client");
  });

  test("no value and no key in Redis has a name, an address or a password", async () => {
    const redis = await testRedis(stack.redis?.port ?? 0);
    const lines = (await redisContent(redis)).split("\n").filter((line) => line.includes("risk:"));
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) {
      expect(line).not.toMatch(/user\d|example|right-|guess-|Summer2026|192\.0\.|198\.51\.|203\.0\.|100\.64\./u);
    }
    for (const key of await redis.keys("*risk:*")) expect(await redis.ttl(key)).toBeGreaterThan(0);
    redis.disconnect();
  });
});

describe("each response applies at two engines", () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startRiskStack({
      mode: "enforce",
      known_after: "0s",
      delay: "200ms",
      suspicious: { score: 15, responses: ["delay", "hold_mail"] },
      dangerous: { score: 60, responses: ["deny"] },
    });
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  test("hold_mail refuses mail protocols, delay delays what is accepted, and neither applies at home", async () => {
    await settle(stack, 0);
    for (const protocol of ["imap", "pop3", "smtp", "sieve"]) {
      for (const refused of await atEachEngine(stack, () => signIn(stack, 0, cafe, protocol))) {
        expect(refused).toMatchObject({ status: 403, line: { reason: "risk" } });
      }
    }
    for (const webmail of await atEachEngine(stack, () => signIn(stack, 0, cafe, "http"))) {
      expect(webmail).toMatchObject({ status: 200, line: { held_ms: 200 } });
    }
    for (const own of await atEachEngine(stack, () => signIn(stack, 0, home))) {
      expect([own.status, own.line["held_ms"] ?? 0]).toEqual([200, 0]);
    }
  });

  test("deny refuses every protocol", async () => {
    await settle(stack, 1);
    for (const protocol of ["imap", "smtp", "http"]) {
      for (const refused of await atEachEngine(stack, () => signIn(stack, 1, lagos, protocol))) {
        expect(refused).toMatchObject({ status: 403, line: { reason: "risk" } });
      }
    }
    for (const own of await atEachEngine(stack, () => signIn(stack, 1, home, "http"))) expect(own.status).toBe(200);
  });
});

test("no response applies in a known network, whatever the score of the sign-in", async () => {
  const leaked = join(folder.path, "leaked");
  await using stack = await startRiskStack(
    {
      mode: "enforce",
      known_after: "0s",
      delay: "200ms",
      leaked_passwords_file: leaked,
      weights: { leaked_password: 60 },
      dangerous: { score: 60, responses: ["delay", "hold_mail", "deny"] },
    },
    // A cached sign-in would not be compared with the new list.
    { engines: 1, cached: false },
  );
  await settle(stack, 0);
  writeFileSync(leaked, `${hash("sha1", passwordOf(0), "hex").toUpperCase()}:17\n`);
  for (const own of await atEachEngine(stack, () => signIn(stack, 0, home))) {
    expect(own).toMatchObject({ status: 200, signals: ["leaked_password"], line: { risk_score: 60 } });
    expect(own.line["held_ms"] ?? 0).toBe(0);
  }
  for (const refused of await atEachEngine(stack, () => signIn(stack, 0, cafe))) {
    expect(refused).toMatchObject({ status: 403, line: { reason: "risk" } });
  }
});

test("delay is bounded to max_waiting responses at the same time", async () => {
  const [maxWaiting, delayMs] = [2, 3000];
  await using stack = await startRiskStack(
    { mode: "enforce", known_after: "0s", delay: `${delayMs}ms`, suspicious: { score: 15, responses: ["delay"] } },
    { engines: 1, delay: { enabled: false, max_waiting: maxWaiting } },
  );
  await settle(stack, 0);
  const burst = await Promise.all(Array.from({ length: 10 }, () => signIn(stack, 0, cafe)));
  expect(burst.map(({ status }) => status)).toEqual(burst.map(() => 200));
  const held = burst.map(({ line }) => Number(line["held_ms"] ?? 0)).filter((ms) => ms > 0);
  expect(held).toEqual(Array.from({ length: maxWaiting }, () => delayMs));
});

test("with off, nothing is scored or stored", async () => {
  await using stack = await startRiskStack({ mode: "off" }, { engines: 1 });
  for (const clientIp of [home, ...abroad]) {
    const { status, line } = await signIn(stack, 0, clientIp);
    expect(status).toBe(200);
    expect(line).not.toHaveProperty("risk_score");
  }
  const redis = await testRedis(stack.redis?.port ?? 0);
  expect(await redis.keys("*risk:*")).toEqual([]);
  redis.disconnect();
});
