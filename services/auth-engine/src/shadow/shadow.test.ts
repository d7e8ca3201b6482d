import { createSecretKey } from "node:crypto";
import type { AuthDecision } from "@postern/shared/contracts";
import { createAttributeFilter } from "@postern/shared/domain/released-attributes";
import { createKeyedDigest, Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { steadyClock } from "@postern/shared/platform/time";
import { expect, test } from "vitest";
import type { Backend, VerifyOutcome } from "../backends/backend.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import { createShadow, type ShadowDeps } from "./shadow.ts";
import { kindsIn } from "./shadow-counter.ts";
import type { ShadowSettings } from "./shadow-settings.ts";

const settings: ShadowSettings = {
  backends: [],
  share: 1,
  protocols: new Set(),
  domains: new Set(),
  passwords: "accepted",
  comparesSecondFactors: false,
  secretFields: [],
  ignoredAttributes: new Set(),
  timeoutMs: 60_000,
  concurrency: 2,
  maxQueued: 3,
};

const account = { account: "alice", accountField: "uid", totpSecretField: "", attributes: {} };
const ok: AuthDecision = { outcome: "ok", ...account, backend: 2, memoryCache: "hit" };
const attempt: Attempt = {
  operation: "authenticate",
  session: "1",
  username: "alice@example.org",
  protocol: "imap",
  dialect: "json",
  tls: true,
  memoryCache: true,
  sharedCache: true,
  password: new Secret("right"),
};
const byPassword = { credential: "password" } as const;
const fromCache = { ...byPassword, cache: { context: "", generation: 0, servedFrom: "memory" } } as const;

/** A backend whose calls wait until the test answers them. */
function createHeldBackend() {
  const calls: { readonly password: string | undefined; readonly answer: PromiseWithResolvers<VerifyOutcome> }[] = [];
  let isClosed = false;
  const call = (password: string | undefined): Promise<VerifyOutcome> => {
    const answer = Promise.withResolvers<VerifyOutcome>();
    calls.push({ password, answer });
    return answer.promise;
  };
  const backend: Backend = {
    kind: "ldap",
    name: "new",
    verify: (_query, password) => call(password.reveal()),
    lookup: async () => {
      const outcome = await call(undefined);
      return outcome.kind === "ok" ? outcome : { kind: "unknown_user" };
    },
    listAccounts: async () => ({ kind: "not_served" }),
    endListing: () => undefined,
    spendVerification: async () => undefined,
    check: async () => undefined,
    close: async () => {
      isClosed = true;
    },
  };
  return { backend, calls, isClosed: () => isClosed };
}

function start(overrides: Partial<ShadowSettings> = {}, more: Partial<ShadowDeps> = {}) {
  const held = createHeldBackend();
  const compared: (readonly string[])[] = [];
  const omitted: string[] = [];
  const shadow = createShadow({
    seenFrom: (_domain, backend) => backend,
    settings: { ...settings, ...overrides },
    backends: [held.backend],
    deciding: () => [],
    releasable: createAttributeFilter([]),
    ignored: new Set(),
    digest: createKeyedDigest(createSecretKey(Buffer.alloc(32))),
    clock: steadyClock,
    random: () => 0.5,
    onCompared: (_about, comparison) => compared.push(kindsIn(comparison)),
    onOmitted: (reason) => omitted.push(reason),
    onCloseFailure: (error) => {
      throw error;
    },
    ...more,
  });
  return { shadow, compared, omitted, ...held };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("of a shadow that hangs, so many are under way and so many wait; the rest is dropped, and closing waits for none", async () => {
  const { shadow, calls, compared, omitted, isClosed } = start();
  for (let count = 0; count < 20; count += 1) shadow.offer(attempt, ok, byPassword);
  expect([calls.length, omitted.length]).toEqual([2, 15]);
  await shadow.close();
  expect([isClosed(), compared, omitted.length, new Set(omitted)]).toEqual([true, [], 20, new Set(["dropped"])]);
});

test("what waits is compared when another comparison ends, however it ends", async () => {
  const { shadow, calls, compared, omitted } = start({ concurrency: 1 });
  for (let count = 0; count < 3; count += 1) shadow.offer(attempt, ok, byPassword);
  calls[0]?.answer.reject(new AppError("DIRECTORY_UNAVAILABLE"));
  await settled();
  calls[1]?.answer.resolve({ kind: "unknown_user" });
  await settled();
  calls[2]?.answer.resolve({ kind: "ok", account });
  await settled();
  expect([compared, omitted]).toEqual([[["missing"], []], ["undecided_new"]]);
  await shadow.close();
});

test("a comparison that takes longer than its time is given up", async () => {
  const { shadow, omitted } = start({ timeoutMs: 20 });
  shadow.offer(attempt, ok, byPassword);
  await expect.poll(() => omitted).toEqual(["undecided_new"]);
  await shadow.close();
});

const wrong: AuthDecision = { outcome: "fail", reason: "wrong_password", memoryCache: "miss" };

test.each<[passwords: ShadowSettings["passwords"], right: boolean, wrong: boolean]>([
  ["none", false, false],
  ["accepted", true, false],
  ["all", true, true],
])("with passwords %s, only these reach the backends", async (passwords, right, other) => {
  const { shadow, calls } = start({ passwords, concurrency: 9 });
  shadow.offer(attempt, ok, byPassword);
  shadow.offer({ ...attempt, username: "bob@example.org" }, wrong, byPassword);
  // A former password may be in a cache.
  shadow.offer({ ...attempt, username: "carol@example.org" }, { ...ok, account: "carol" }, fromCache);
  // A policy refused what the backends accepted.
  shadow.offer({ ...attempt, username: "dave@example.org" }, wrong, {
    ...byPassword,
    stepDecision: { ...ok, account: "dave" },
  });
  // The secret of an app password or token is none of theirs.
  shadow.offer(attempt, ok, { credential: "app_password" });
  shadow.offer(attempt, ok, { credential: "token" });
  shadow.offer({ ...attempt, operation: "lookup" }, ok, {});
  const sent = [right, other, false, false, false, false, false].map((is) => (is ? "right" : undefined));
  expect(calls.map(({ password }) => password)).toEqual(sent);
  await shadow.close();
});

test.each<[name: string, outcome: VerifyOutcome | AppError, isPassedAgain: boolean]>([
  ["that is wrong there", { kind: "wrong_password" }, false],
  ["of an account that is locked there", { kind: "account_disabled" }, false],
  ["that may have arrived", new AppError("DIRECTORY_UNAVAILABLE"), false],
  ["that is right there", { kind: "ok", account }, true],
  ["of an account that is missing there", { kind: "unknown_user" }, true],
])(
  "after a password %s, the account is only looked up for an hour unless no lock can follow",
  async (_name, outcome, isPassedAgain) => {
    let nowMs = 0;
    const { shadow, calls } = start({ concurrency: 9 }, { clock: { now: () => nowMs } });
    const passed = (): readonly boolean[] => calls.map(({ password }) => password !== undefined);
    shadow.offer(attempt, ok, byPassword);
    // While one is under way, others of the account are not passed.
    shadow.offer({ ...attempt, username: "alias@example.org" }, ok, byPassword);
    expect(passed()).toEqual([true, false]);
    if (outcome instanceof AppError) calls[0]?.answer.reject(outcome);
    else calls[0]?.answer.resolve(outcome);
    await settled();
    shadow.offer(attempt, ok, byPassword);
    expect(passed()).toEqual([true, false, isPassedAgain]);
    nowMs = 3_600_001;
    shadow.offer({ ...attempt, username: "again@example.org" }, ok, byPassword);
    // The one before is still under way if it was passed.
    expect(passed().at(-1)).toBe(true);
    await shadow.close();
  },
);

test("second factors are read once an hour for an account, and their failure discards nothing else", async () => {
  let reads = 0;
  const failing = async (): Promise<never> => {
    reads += 1;
    throw new AppError("DIRECTORY_UNAVAILABLE");
  };
  const deciding: Backend = {
    ...createHeldBackend().backend,
    name: "old",
    mfa: { findAccount: failing, findHolders: failing, pretendAccount: failing },
  };
  const { shadow, calls, compared, omitted } = start({ comparesSecondFactors: true }, { deciding: () => [deciding] });
  const facts = { ...byPassword, backendName: "old" };
  for (const answered of [1, 2]) {
    shadow.offer(attempt, ok, facts);
    calls[answered - 1]?.answer.resolve({ kind: "ok", account });
    await settled();
  }
  shadow.offer({ ...attempt, username: "bob" }, { ...ok, account: "bob" }, { ...facts, cache: fromCache.cache });
  calls[2]?.answer.resolve({ kind: "unknown_user" });
  await settled();
  expect([reads, compared, omitted]).toEqual([1, [[], [], ["missing"]], []]);
  await shadow.close();
});

test("only the share, the protocols and the domains are compared", async () => {
  const { shadow, calls, omitted } = start({
    share: 0.6,
    protocols: new Set(["imap"]),
    domains: new Set(["example.org"]),
    concurrency: 9,
  });
  shadow.offer(attempt, ok, byPassword);
  shadow.offer({ ...attempt, username: "bob@EXAMPLE.ORG" }, ok, byPassword);
  shadow.offer({ ...attempt, protocol: "smtp" }, ok, byPassword);
  shadow.offer({ ...attempt, username: "bob@example.net" }, ok, byPassword);
  shadow.offer(attempt, { outcome: "tempfail", code: "OVERLOADED", message: "" }, {});
  expect([calls.length, omitted]).toEqual([2, ["undecided_old"]]);
  await shadow.close();
  const none = start({ share: 0.5 });
  none.shadow.offer(attempt, ok, byPassword);
  expect(none.calls.length).toBe(0);
  await none.shadow.close();
});
