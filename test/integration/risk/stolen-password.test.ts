import { hash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { mmdbFile, pause, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runRiskCommand } from "../../../cli/src/risk-replay/risk-replay.ts";
import { askAdmin } from "../../support/ask-admin.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import type { Stack } from "../../support/stack.ts";
import { redisGivenUpSoon } from "../../support/stack-config.ts";
import { login, passwordOf, startGuessedStack, userName } from "../brute-force/guessed-stack.ts";
import { atEachEngine, keptOf, remembered, scoredBy } from "./sign-ins.ts";

const home = "192.0.2.7";
const phone = "192.0.3.7";
/** In no file, and so of no known system. */
const hotel = "203.0.113.7";
const bot = "198.51.100.7";
const abroad = "203.0.200.7";
const leakedUser = 9;

const berlin = { country: { iso_code: "DE" }, location: { latitude: 52.5, longitude: 13.4 } };
/** Near enough for a journey of an hour or two. */
const poznan = { country: { iso_code: "PL" }, location: { latitude: 52.4, longitude: 16.9 } };
const lagos = { country: { iso_code: "NG" }, location: { latitude: 6.5, longitude: 3.4 } };

let folder: Awaited<ReturnType<typeof scratchFolder>>;

/** Accounts are learned immediately, and a network is known from its first sign-in on. */
const quick = {
  learn_for: "0s",
  known_after: "0s",
  delay: "100ms",
  dangerous: { score: 80 },
  // Submissions are repeated until both engines have decided some.
  limits: { submissions_per_hour: 1000, submission_networks: 100 },
};

function startRiskStack(risk: object): Promise<Stack> {
  const files = {
    city_file: join(folder.path, "city.mmdb"),
    system_file: join(folder.path, "system.mmdb"),
    leaked_passwords_file: join(folder.path, "leaked"),
  };
  return startGuessedStack({
    cached: true,
    services: ["admin"],
    risk: { ...quick, ...files, ...risk },
    settings: redisGivenUpSoon,
  });
}

beforeAll(async () => {
  folder = await scratchFolder();
  writeFileSync(
    join(folder.path, "city.mmdb"),
    mmdbFile("City", {
      "192.0.2.0/24": berlin,
      "192.0.3.0/24": berlin,
      "198.18.0.0/15": berlin,
      "198.51.100.0/24": lagos,
      "203.0.200.0/24": poznan,
    }),
  );
  writeFileSync(
    join(folder.path, "system.mmdb"),
    mmdbFile("ASN", {
      "192.0.2.0/23": { autonomous_system_number: 64_500 },
      "198.18.0.0/15": { autonomous_system_number: 64_500 },
      "198.51.100.0/24": { autonomous_system_number: 64_501 },
    }),
  );
  writeFileSync(join(folder.path, "leaked"), `${hash("sha1", passwordOf(leakedUser), "hex").toUpperCase()}:17\r\n`);
});

afterAll(() => folder[Symbol.asyncDispose]());

interface Outcome {
  readonly status: number;
  readonly words: string;
  readonly line: Readonly<Record<string, unknown>>;
}

async function signIn(stack: Stack, index: number, clientIp: string, protocol = "imap"): Promise<Outcome> {
  const { status, headers } = await login(stack, {
    clientIp,
    user: userName(index),
    password: passwordOf(index),
    protocol,
  });
  const line = await logLineOf(stack.gateway, headers.get("x-service-session") ?? undefined, "decided");
  return { status, words: headers.get("auth-status") ?? "", line };
}

const isRefused = ({ status }: Outcome): boolean => status === 403;
const isGuessed = ({ line }: Outcome): boolean => line["risk_signals"] === "guessed_account";

/** Signs in at home, and waits until the engines remember it. */
async function settle(stack: Stack, index: number): Promise<void> {
  const { status } = await remembered(stack, { account: userName(index) }, () => signIn(stack, index, home));
  expect(status).toBe(200);
}

describe("with observe, the default", () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startRiskStack({});
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  test("a stolen password is scored at both engines and in every protocol, and signs in as before", async () => {
    await settle(stack, 0);
    const raised = [200, 80, "new_source new_country impossible_travel"];
    for (const protocol of ["imap", "smtp", "pop3"]) {
      for (const { status, line } of await atEachEngine(stack, () => signIn(stack, 0, bot, protocol))) {
        expect([status, line["risk_score"], line["risk_signals"]]).toEqual(raised);
      }
    }
    const warned = await poll("the engine's warning", () =>
      stack.engines.find((engine) => engine.output().includes('"msg":"suspicious sign-in"')),
    );
    expect(warned.output()).toContain("new_country: NG is new");
    expect(await signIn(stack, 0, home)).toMatchObject({ status: 200 });
    expect((await signIn(stack, 0, home)).line).not.toHaveProperty("risk_score");
  });

  test("operators see what is known of an account, why a sign-in is suspicious, and what enforce would do", async () => {
    await settle(stack, 7);
    const { line } = await signIn(stack, 7, bot, "smtp");
    const explain = async (query: string) => {
      const answer = await askAdmin(stack, "GET", `/api/v1/console/risk?query=${encodeURIComponent(query)}`);
      return { status: answer.status, text: answer.text, found: Object(JSON.parse(answer.text)) };
    };
    await poll("the suspicious sign-in", async () => (await explain(userName(7))).found.sign_ins.length > 0);
    const { found, text } = await explain(userName(7));
    expect(found).toMatchObject({
      account: userName(7),
      mode: "observe",
      is_learned: true,
      countries: ["de"],
      sign_ins: [
        {
          session: line["session"],
          score: 80,
          level: "dangerous",
          country: "NG",
          refusal: "hold_submission",
          refused: false,
        },
      ],
    });
    expect(found.sign_ins[0].signals).toContain("new_country: NG is new");
    expect(found.networks.map(({ state }: { readonly state: string }) => state).toSorted()).toEqual([
      "doubted",
      "known",
    ]);
    expect(text).not.toMatch(/192\.0\.2|198\.51/u);
    expect((await explain("198.51.100.7")).status).toBe(400);
  });

  test("a replay of the gateway's log shows what enforce would have refused", async () => {
    await settle(stack, 6);
    for (const protocol of ["imap", "smtp"]) await signIn(stack, 6, bot, protocol);
    const [log, config] = [join(folder.path, "gateway.log"), join(folder.path, "replayed.yaml")];
    writeFileSync(log, stack.gateway.output());
    writeFileSync(config, JSON.stringify({ auth: { risk: { dangerous: { score: 80 } } } }));
    const terminal = { input: new PassThrough(), output: new PassThrough() };
    const args = ["replay", log, "--config", config, "--limit", "100", "--json"];
    const { exitCode, output } = await runRiskCommand(args, { terminal });
    const { refused_sign_ins: refused } = JSON.parse(output.join("\n"));
    expect(exitCode).toBe(1);
    expect(refused.filter(({ username }: { readonly username: string }) => username === userName(6))).toMatchObject([
      { protocol: "smtp", client_ip: bot, score: 80, refusal: "hold_submission" },
    ]);
    expect(JSON.stringify(refused)).not.toContain(home);
  });

  test("a leaked password raises a signal, even if the success is cached", async () => {
    await settle(stack, leakedUser);
    for (let round = 0; round < 2; round += 1) {
      for (const { line } of await atEachEngine(stack, () => signIn(stack, leakedUser, home))) {
        expect(line).toMatchObject({ risk_signals: "leaked_password" });
      }
    }
  });

  test("facts contain no name, address or password, expire, and are small", async () => {
    await settle(stack, 3);
    const redis = await testRedis(stack.redis?.port ?? 0);
    const content = await redisContent(redis);
    const lines = content.split("\n").filter((line) => line.includes("risk:"));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).not.toMatch(/user3|example|right-|192\.0\.2|198\.51/u);
      expect(line.length).toBeLessThan(1000);
    }
    for (const key of await redis.keys("*risk:*")) expect(await redis.ttl(key)).toBeGreaterThan(0);
    redis.disconnect();
  });

  test("flushing an account erases its facts and its suspicious sign-ins, and engines no longer write them", async () => {
    await settle(stack, 4);
    const account = userName(4);
    await remembered(stack, { account, kind: "review" }, () => signIn(stack, 4, bot));
    const { status } = await askAdmin(stack, "DELETE", "/api/v1/cache/flush", { body: { user: account } });
    expect(status).toBe(200);
    expect([await keptOf(stack, account, "facts"), await keptOf(stack, account, "review")]).toEqual(["", ""]);
  });
});

describe("with enforce", () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startRiskStack({
      mode: "enforce",
      // What others cause alone reaches the score of a level that refuses.
      weights: { guessed_account: 60 },
      suspicious: { score: 60, responses: ["hold_submission"] },
    });
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  test("submission is refused in words to unknown networks, reading is not, and home is never refused", async () => {
    await settle(stack, 0);
    for (const refused of await atEachEngine(stack, () => signIn(stack, 0, bot, "smtp"))) {
      expect(refused).toMatchObject({ status: 403, line: { reason: "risk", risk_score: 80 } });
      expect(refused.words).toContain("sign in on the website");
    }
    for (const read of await atEachEngine(stack, () => signIn(stack, 0, bot, "imap"))) expect(read.status).toBe(200);
    // The hold reaches the other engine too, and refuses sources that are new.
    expect(await atEachEngine(stack, () => signIn(stack, 0, hotel, "smtp"), isRefused)).toHaveLength(2);
    for (const [clientIp, protocol] of [
      [hotel, "imap"],
      [phone, "smtp"],
      [home, "smtp"],
    ] as const) {
      for (const { status } of await atEachEngine(stack, () => signIn(stack, 0, clientIp, protocol))) {
        expect([clientIp, protocol, status]).toEqual([clientIp, protocol, 200]);
      }
    }
  });

  test("wrong passwords from many networks refuse no owner, neither at home nor elsewhere", async () => {
    await settle(stack, 1);
    for (let index = 0; index < 30; index += 1) {
      await login(stack, { clientIp: `203.0.${index}.7`, user: userName(1), password: `guess-${index}` });
    }
    let host = 0;
    // The first sign-in makes a network known, where the signal is not raised.
    const onTheWay = () => {
      host += 1;
      return signIn(stack, 1, `198.18.${host}.7`, "smtp");
    };
    for (const { status, line } of await atEachEngine(stack, onTheWay, isGuessed)) {
      expect([status, line["risk_score"]]).toEqual([200, 60]);
    }
    for (const { status } of await atEachEngine(stack, () => signIn(stack, 1, home, "smtp"))) expect(status).toBe(200);
    // Abroad, its own signals are not enough either, and others do not make up what is missing.
    const { status, line } = await signIn(stack, 1, abroad, "smtp");
    expect([status, line["risk_score"], line["risk_signals"]]).toEqual([
      200,
      110,
      "new_source new_country guessed_account",
    ]);
    for (const { status: again } of await atEachEngine(stack, () => signIn(stack, 1, abroad, "smtp"))) {
      expect(again).toBe(200);
    }
  });

  test("while Redis hangs, and once it is killed, there is no signal and no denial; in between there is both", async () => {
    await settle(stack, 2);
    const { redis } = stack;
    if (redis === undefined) throw new Error("the stack has no Redis");
    expect(await atEachEngine(stack, () => signIn(stack, 2, bot, "smtp"), isRefused)).toHaveLength(2);
    /** Enough that both engines decide some of them. */
    const withoutSignals = async (): Promise<void> => {
      await poll("sign-ins without Redis", async () => (await signIn(stack, 2, bot, "smtp")).status === 200);
      const outcomes = await Promise.all(Array.from({ length: 12 }, () => signIn(stack, 2, bot, "smtp")));
      for (const { status, line } of outcomes)
        expect([status, line["risk_score"], line["risk_signals"]]).toEqual([200, undefined, undefined]);
    };
    await pause(redis);
    await withoutSignals();
    redis.signal("SIGCONT");
    const before = await scoredBy(stack);
    await poll("both engines to score again", async () => {
      await signIn(stack, 2, bot, "smtp");
      return (await scoredBy(stack)).every((count, index) => count > (before[index] ?? 0));
    });
    expect(await atEachEngine(stack, () => signIn(stack, 2, bot, "smtp"), isRefused)).toHaveLength(2);
    redis.signal("SIGKILL");
    await redis.stop();
    await withoutSignals();
  });
});
