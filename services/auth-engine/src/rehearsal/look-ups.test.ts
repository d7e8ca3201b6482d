import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Comparison } from "./comparison.ts";
import { type LookedUp, LookUps } from "./look-ups.ts";
import type { SignIn } from "./sign-in.ts";

const signIn = (username: string, more: Partial<SignIn> = {}): SignIn => ({
  timeMs: Date.UTC(2026, 10, 20),
  session: "7d3f91ac",
  dialect: "json",
  operation: "authenticate",
  outcome: "ok",
  reason: "",
  username,
  protocol: "imap",
  clientIp: "198.51.100.7",
  tls: true,
  accountPasswords: undefined,
  networkGuesses: 0,
  count: 1,
  ...more,
});

interface Given {
  readonly signIns: readonly SignIn[];
  readonly answer: (username: string, protocol: string) => LookedUp;
  readonly perSecond?: number;
  readonly endAfter?: number;
}

async function looked({ signIns, answer, perSecond = 10_000, endAfter = Number.POSITIVE_INFINITY }: Given) {
  const [lookUps, comparison, aborter] = [new LookUps(), new Comparison(), new AbortController()];
  const queried: string[] = [];
  let atOnce = 0;
  let underWay = 0;
  for (const one of signIns) {
    comparison.addEqual(one.timeMs, one.count);
    lookUps.note(one);
  }
  const isWhole = await lookUps.run(comparison, {
    lookUp: async ({ username, protocol }) => {
      queried.push(username);
      underWay += 1;
      atOnce = Math.max(atOnce, underWay);
      if (queried.length >= endAfter) aborter.abort();
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return answer(username, protocol);
    },
    perSecond,
    signal: aborter.signal,
    onProgress: () => undefined,
  });
  return { isWhole, queried, atOnce, undecided: lookUps.undecided, totals: comparison.totals(), comparison };
}

test("each account is looked up once under its folded name, few at a time, and stands for all its sign-ins", async () => {
  const signIns = ["alice", "Alice", "bob", "carol", "alice"].map((name) => signIn(name));
  const more = Array.from({ length: 50 }, (_, index) => signIn(`user${index}`, { count: 3 }));
  const { queried, atOnce, totals, undecided, comparison } = await looked({
    signIns: [...signIns, ...more],
    answer: (name) => (name === "alice" ? "unknown" : name === "bob" ? "disabled" : "known"),
  });
  expect(queried.length).toBe(53);
  expect(atOnce).toBeLessThanOrEqual(8);
  expect(totals.now_refused).toMatchObject({ sign_ins: 4, accounts: 2 });
  expect(undecided).toBe(0);
  expect(comparison.groupReports().map(({ after, account_names: names }) => [after, names])).toEqual([
    ["refused (unknown in the new backends)", ["alice"]],
    ["refused (disabled in the new backends)", ["bob"]],
  ]);
  // When the others were is not known any more.
  expect(comparison.timeline().map(({ different }) => different)).toEqual([0]);
});

test("backends that do not answer are given up, and what they would say is no difference", async () => {
  const signIns = Array.from({ length: 1000 }, (_, index) => signIn(`user${index}`, { count: 2 }));
  const { queried, undecided, totals, isWhole } = await looked({ signIns, answer: () => "undecided" });
  expect([undecided, totals.different.sign_ins, isWhole]).toEqual([2000, 0, true]);
  expect(queried.length).toBeLessThan(60);
});

test("a failure now and then ends nothing", async () => {
  const signIns = Array.from({ length: 300 }, (_, index) => signIn(`user${index}`));
  const { queried, undecided } = await looked({
    signIns,
    answer: (name) => (name.endsWith("0") ? "known" : "undecided"),
  });
  expect([queried.length, undecided]).toEqual([300, 270]);
});

test("it ends at once when it is interrupted, however slow it has to be", async () => {
  const signIns = Array.from({ length: 1000 }, (_, index) => signIn(`user${index}`));
  const { queried, isWhole, undecided } = await looked({ signIns, answer: () => "known", perSecond: 1, endAfter: 1 });
  expect([queried.length, isWhole]).toEqual([1, false]);
  expect(undecided).toBe(999);
});

test("backends may know an account with one protocol only, and a look-up speaks for no other", async () => {
  const imap = signIn("alice");
  const pop3 = Array.from({ length: 9 }, () => signIn("alice", { protocol: "pop3" }));
  for (const signIns of [
    [imap, ...pop3],
    [...pop3, imap],
  ]) {
    const { queried, totals, undecided } = await looked({
      signIns,
      answer: (_name, protocol) => (protocol === "imap" ? "known" : "unknown"),
    });
    expect([queried.length, undecided]).toEqual([2, 0]);
    expect(totals.now_refused).toMatchObject({ sign_ins: 9, accounts: 1 });
  }
});

test("all sign-ins of accounts for which there is no room are counted", async () => {
  const lookUps = new LookUps();
  for (let index = 0; index < 200_000; index += 1) lookUps.note(signIn(`user${index}`));
  for (let index = 0; index < 100; index += 1) lookUps.note(signIn("one more"));
  lookUps.note(signIn("user0"));
  expect(lookUps.undecided).toBe(100);
});

describe("on a clock that is moved", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  test("what a stall missed is not caught up", async () => {
    let lookedUp = 0;
    const accounts = Array.from({ length: 40 }, (_, index) => signIn(`user${index}`));
    const [lookUps, aborter] = [new LookUps(), new AbortController()];
    for (const one of accounts) lookUps.note(one);
    await lookUps.run(new Comparison(), {
      lookUp: async () => {
        lookedUp += 1;
        // The first answer takes an hour, in which 3600 look-ups would have been due; the next one is due in a second.
        vi.advanceTimersByTime(lookedUp === 1 ? 3_600_000 : 0);
        setImmediate(() => setImmediate(() => aborter.abort()));
        return "known";
      },
      perSecond: 1,
      signal: aborter.signal,
      onProgress: () => undefined,
    });
    expect(lookedUp).toBeLessThanOrEqual(2);
  });

  test("nothing is waited for once the backends are given up", async () => {
    let lookedUp = 0;
    const lookUps = new LookUps();
    for (let index = 0; index < 5000; index += 1) lookUps.note(signIn(`user${index}`));
    await lookUps.run(new Comparison(), {
      lookUp: async () => {
        lookedUp += 1;
        // Otherwise each of the first 50 would wait for its second.
        vi.advanceTimersByTime(1000);
        return "undecided";
      },
      perSecond: 1,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    expect([lookedUp < 60, lookUps.undecided]).toEqual([true, 5000]);
  });
});
