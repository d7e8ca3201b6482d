import { pause, poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Stack } from "../../support/stack.ts";
import { login, userName } from "../brute-force/guessed-stack.ts";
import { atEachEngine, scoredBy } from "./sign-ins.ts";
import {
  abroad,
  bot,
  home,
  hotel,
  type Outcome,
  phone,
  type StolenPasswordStack,
  settle,
  signIn,
  startStolenPasswordStack,
} from "./stolen-password-stack.ts";

let site: StolenPasswordStack;
let stack: Stack;

beforeAll(async () => {
  site = await startStolenPasswordStack({
    mode: "enforce",
    // What others cause alone reaches the score of a level that refuses.
    weights: { guessed_account: 60 },
    suspicious: { score: 60, responses: ["hold_submission"] },
  });
  ({ stack } = site);
});

afterAll(() => site[Symbol.asyncDispose]());

const isRefused = ({ status }: Outcome): boolean => status === 403;
const isGuessed = ({ line }: Outcome): boolean => line["risk_signals"] === "guessed_account";

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
