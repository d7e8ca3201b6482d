import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runRiskCommand } from "../../../cli/src/risk-replay/risk-replay.ts";
import { askAdmin } from "../../support/ask-admin.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import type { Stack } from "../../support/stack.ts";
import { userName } from "../brute-force/guessed-stack.ts";
import { atEachEngine, keptOf, remembered } from "./sign-ins.ts";
import {
  bot,
  home,
  leakedUser,
  type StolenPasswordStack,
  settle,
  signIn,
  startStolenPasswordStack,
} from "./stolen-password-stack.ts";

let site: StolenPasswordStack;
let stack: Stack;

beforeAll(async () => {
  // `auth.risk.mode` is `observe` by default.
  site = await startStolenPasswordStack({});
  ({ stack } = site);
});

afterAll(() => site[Symbol.asyncDispose]());

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
  expect(found.networks.map(({ state }: { readonly state: string }) => state).toSorted()).toEqual(["doubted", "known"]);
  expect(text).not.toMatch(/192\.0\.2|198\.51/u);
  expect((await explain("198.51.100.7")).status).toBe(400);
});

test("a replay of the gateway's log shows what enforce would have refused", async () => {
  await settle(stack, 6);
  for (const protocol of ["imap", "smtp"]) await signIn(stack, 6, bot, protocol);
  const [log, config] = [join(site.folder, "gateway.log"), join(site.folder, "replayed.yaml")];
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
