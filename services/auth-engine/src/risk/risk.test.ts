import type { AuthDecision, Ok } from "@postern/shared/contracts";
import {
  type AccountFacts,
  createRiskNames,
  decodeAccountFacts,
  decodeReviews,
  encodeAccountFacts,
  encodeReviews,
  encodeSourceFacts,
  noteSignIn,
  type ReviewedSignIn,
  type RiskSettings,
  riskSettings,
  type SourceFacts,
} from "@postern/shared/domain/risk";
import { loadConfig } from "@postern/shared/platform/config";
import { describe, expect, test } from "vitest";
import type { RiskRead } from "../brute-force/shared-store.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { Change } from "./fact-writer.ts";
import { createRisk, type Risk, type RiskDeps } from "./risk.ts";
import { createRiskSubjects } from "./risk-subjects.ts";
import type { ScoredFacts } from "./sign-in.ts";

const dayMinutes = 1440;
const nowMinute = 30_000_000;
const berlin = { country: "DE", system: 3320, location: { latitude: 53, longitude: 13 } };
const lagos = { country: "NG", system: 29_465, location: { latitude: 6, longitude: 3 } };

function defaults(): RiskSettings {
  const loaded = loadConfig({ text: "", env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error("the default configuration is invalid");
  return riskSettings(loaded.config.auth.risk);
}

const settings = defaults();
const subjects = createRiskSubjects(createRiskNames("a nonce of the test"), "p:");

const attempt: Attempt = {
  session: "s",
  operation: "authenticate",
  dialect: "json",
  username: "alice",
  password: undefined,
  protocol: "imap",
  tls: true,
  clientIp: "192.0.2.7",
  memoryCache: true,
  sharedCache: true,
};
const ok: Ok = {
  outcome: "ok",
  account: "alice",
  accountField: "mail",
  totpSecretField: "",
  backend: 8,
  attributes: {},
  memoryCache: "miss",
};

const unavailable = () => Promise.reject(new Error("unavailable"));
const yes = () => Promise.resolve(true);

/** Facts of an account that signed in from Berlin every day of a month. */
function settled(): string {
  let facts: AccountFacts | undefined;
  const network = subjects.source("192.0.2.7")?.id ?? "";
  for (let day = 31; day > 0; day -= 1) {
    const minute = nowMinute - (day - 1) * dayMinutes - 60;
    const signIn = { minute, network, place: berlin, protocol: "imap", client: "", device: "" };
    facts = noteSignIn(facts, signIn, { isDoubted: false, ages: settings });
  }
  return facts === undefined ? "" : encodeAccountFacts(facts);
}

function riskWith(overrides: Partial<RiskDeps> = {}) {
  const values = new Map<string, string>();
  const reads: string[] = [];
  const scored: boolean[] = [];
  const writer = <Of>(encode: (facts: Of) => string, decode: (value: string) => Of | undefined) => ({
    add: (key: string, read: string, change: Change<Of>) => {
      const next = change(decode(values.get(key) ?? read));
      if (next !== undefined) values.set(key, encode(next));
    },
    drop: () => undefined,
    flush: async () => undefined,
  });
  const risk = createRisk({
    settings: () => settings,
    subjects,
    store: {
      read: async (key) => {
        reads.push(key);
        return values.get(key);
      },
    },
    accounts: writer(encodeAccountFacts, decodeAccountFacts),
    sources: writer<SourceFacts>(encodeSourceFacts, () => undefined),
    reviews: writer<readonly ReviewedSignIn[]>(encodeReviews, decodeReviews),
    reputation: { weightOf: () => undefined },
    places: { of: (address) => (address.startsWith("192.0.2.") ? berlin : lagos) },
    leaked: undefined,
    clock: { now: () => nowMinute * 60_000 },
    onScored: (_attempt, _risk, isNewDoubt) => scored.push(isNewDoubt),
    onForgotten: () => undefined,
    ...overrides,
  });
  return { risk, values, reads, scored };
}

type Read = Pick<RiskRead, "account" | "source">;

function factsFor(risk: Risk, one: Attempt, { account, source }: Read, others: ScoredFacts = {}): ScoredFacts {
  const keys = risk.keysOf(one);
  const counted = {
    target: undefined,
    account: undefined,
    accountFailures: 0,
    accountDelayMs: 0,
    counted: false,
    repeatedWrongPassword: false,
    degraded: false,
    pending: false,
    accountPasswordsSeen: 0,
    totalPasswordsSeen: 0,
  };
  const bruteForce = keys === undefined ? counted : { ...counted, riskRead: { keys, account, source } };
  return { credential: "password", accountKnown: true, bruteForce, ...others };
}

const denied: AuthDecision = { outcome: "fail", reason: "wrong_password", memoryCache: "miss" };

test("only sign-ins with the client's own address are scored", () => {
  const { risk } = riskWith();
  expect(risk.keysOf(attempt)).toBeDefined();
  const others: readonly Partial<Attempt>[] = [
    { operation: "lookup" },
    { clientIp: "no address" },
    { clientIpIsPeer: true },
    { hidesOutcome: true },
  ];
  const { clientIp: _address, ...unaddressed } = attempt;
  expect(risk.keysOf(unaddressed)).toBeUndefined();
  for (const other of others) expect(risk.keysOf({ ...attempt, ...other })).toBeUndefined();
  expect(riskWith({ settings: () => ({ ...settings, mode: "off" }) }).risk.keysOf(attempt)).toBeUndefined();
});

test("without an answer from Redis, and for tokens, there is no score", async () => {
  const { risk } = riskWith();
  const bot = { ...attempt, clientIp: "198.51.100.7" };
  expect(await risk.assess(bot, ok, { credential: "password" })).toBeUndefined();
  const token = factsFor(risk, bot, { account: settled(), source: "" }, { credential: "token" });
  expect(await risk.assess(bot, ok, token)).toBeUndefined();
});

describe("a hold and a token", () => {
  const hold = { kind: "submission", untilMinute: nowMinute + 60 } as const;
  const facts = decodeAccountFacts(settled());
  const held = facts === undefined ? "" : encodeAccountFacts({ ...facts, hold });
  const smtp: Attempt = { ...attempt, clientIp: "198.51.100.7", protocol: "smtp" };
  const enforcing = { settings: (): RiskSettings => ({ ...settings, mode: "enforce" }) };
  const weekOld = (nowMinute - 7 * dayMinutes) * 60;

  async function refusalOf(one: Attempt, since: number | undefined, overrides: Partial<RiskDeps> = {}) {
    const { risk, values, scored } = riskWith({ ...enforcing, ...overrides });
    const others = { credential: "token", credentialSince: since } as const;
    const of = factsFor(risk, one, { account: held, source: "" }, others);
    const found = await risk.assess(one, ok, of);
    if (found !== undefined)
      risk.rememberDecision(
        one,
        { outcome: "fail", reason: "risk", memoryCache: "miss" },
        { ...of, risk: { ...found, isRefused: true } },
      );
    // Tokens leave nothing.
    expect([values.size, scored]).toEqual([0, found === undefined ? [] : [false]]);
    return found?.verdict.refusal;
  }

  test("a young one is refused for the protocols of the hold in new networks only, an old one nowhere", async () => {
    expect(await refusalOf(smtp, nowMinute * 60)).toBe("hold_submission");
    expect(await refusalOf(smtp, undefined)).toBe("hold_submission");
    expect(await refusalOf(smtp, weekOld)).toBeUndefined();
    expect(await refusalOf({ ...smtp, protocol: "imap" }, nowMinute * 60)).toBeUndefined();
    expect(await refusalOf({ ...smtp, clientIp: "192.0.2.7" }, nowMinute * 60)).toBeUndefined();
  });

  test("if Redis fails before the suspicious sign-ins are read, no token is refused", async () => {
    expect(await refusalOf(smtp, nowMinute * 60, { store: { read: unavailable } })).toBeUndefined();
  });
});

test("another name of an account uses the account's facts, and is read once", async () => {
  const { risk, values, reads } = riskWith();
  values.set(subjects.account("alice").key, settled());
  const bot = { ...attempt, username: "alice.alias", clientIp: "198.51.100.7" };
  const first = await risk.assess(bot, ok, factsFor(risk, bot, { account: "", source: "" }));
  expect(first?.score).toBe(80);
  expect(risk.keysOf(bot)?.account).toEqual(subjects.account("alice"));
  const second = await risk.assess(bot, ok, factsFor(risk, bot, { account: settled(), source: "" }));
  expect(second).toMatchObject({ score: 80 });
  expect(reads).toHaveLength(1);
});

test("invented names and names without facts take no memory", () => {
  const { risk, values } = riskWith();
  for (const accountKnown of [true, false]) {
    const facts = factsFor(risk, attempt, { account: "", source: "" }, { accountKnown });
    risk.rememberDecision(attempt, denied, facts);
  }
  expect([...values.keys()]).toEqual([]);
});

test("a network with wrong passwords for three accounts is remembered, one with fewer is not", () => {
  const { risk, values } = riskWith();
  for (const username of ["a", "b", "b", "b"]) {
    const one = { ...attempt, username };
    risk.rememberDecision(one, denied, factsFor(risk, one, { account: "", source: "" }));
  }
  expect(values.size).toBe(0);
  const third = { ...attempt, username: "c" };
  risk.rememberDecision(third, denied, factsFor(risk, third, { account: "", source: "" }));
  expect([...values.keys()]).toEqual([subjects.source("192.0.2.7")?.key]);
});

test("a sign-in that a policy refuses makes no network familiar", async () => {
  const { risk, values, scored } = riskWith();
  const phone = { ...attempt, clientIp: "192.0.2.200" };
  const facts = factsFor(risk, phone, { account: "", source: "" });
  const found = await risk.assess(phone, ok, facts);
  if (found !== undefined) facts.risk = found;
  risk.rememberDecision(phone, { outcome: "fail", reason: "policy", memoryCache: "miss" }, facts);
  expect(values.size).toBe(0);
  risk.rememberDecision(phone, ok, facts);
  expect(values.size).toBe(1);
  expect(scored).toEqual([false]);
});

test("connections that a client opens at the same time are one report", async () => {
  const { risk, scored } = riskWith();
  const bot = { ...attempt, clientIp: "198.51.100.7" };
  for (let index = 0; index < 6; index += 1) {
    const facts = factsFor(risk, bot, { account: settled(), source: "" });
    const found = await risk.assess(bot, ok, facts);
    if (found !== undefined) facts.risk = found;
    risk.rememberDecision(bot, ok, facts);
  }
  expect(scored).toEqual([true, false, false, false, false, false]);
});

const fails = () => Promise.reject(new Error("asked"));

test("observing does not ask a backend for second factors", () => {
  const { risk } = riskWith();
  const bot = { ...attempt, clientIp: "198.51.100.7" };
  const facts = factsFor(risk, bot, { account: settled(), source: "" }, { accountHasSecondFactor: fails });
  expect(risk.assess(bot, ok, facts)).toMatchObject({ score: 80 });
});

test("a backend that cannot say whether there is a second factor changes nothing", async () => {
  const { risk } = riskWith({ settings: () => ({ ...settings, mode: "enforce" }) });
  const bot = { ...attempt, clientIp: "198.51.100.7" };
  const facts = factsFor(risk, bot, { account: settled(), source: "" }, { accountHasSecondFactor: unavailable });
  expect(await risk.assess(bot, ok, facts)).toMatchObject({ score: 80 });
  const factsWithFactor = factsFor(risk, bot, { account: settled(), source: "" }, { accountHasSecondFactor: yes });
  expect(await risk.assess(bot, ok, factsWithFactor)).toMatchObject({ score: 100 });
});

const no = () => Promise.resolve(false);

test.each([
  ["without a second factor is refused", no, "deny"],
  ["with one is not: the factor decides", yes, undefined],
])("on the sign-in pages, a leaked password of an account without facts and %s", async (_what, has, refusal) => {
  const denying = { ...settings.responses, dangerous: new Set(["deny"] as const) };
  const weights = { ...settings.weights, leaked_password: settings.scores.dangerous };
  const strict = { ...settings, mode: "enforce", weights, responses: denying } as const;
  const { risk } = riskWith({ settings: () => strict, leaked: { contains: yes } });
  const onPages: Attempt = { ...attempt, dialect: "idp" };
  const facts = factsFor(risk, onPages, { account: "", source: "" }, { accountHasSecondFactor: has });
  const found = await risk.assess(onPages, ok, facts);
  expect(found).toMatchObject({ level: "dangerous", verdict: { refusal } });
});
