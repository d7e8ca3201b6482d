import type { Ok } from "@postern/shared/contracts";
import {
  type AccountFacts,
  createRiskNames,
  decodeAccountFacts,
  decodeSourceFacts,
  encodeAccountFacts,
  encodeSourceFacts,
  type RiskSettings,
  riskSettings,
  type SourceFacts,
} from "@postern/shared/domain/risk";
import { loadConfig } from "@postern/shared/platform/config";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Attempt } from "../pipeline/attempt.ts";
import type { Change } from "./fact-writer.ts";
import { createRisk } from "./risk.ts";
import { createRiskSubjects } from "./risk-subjects.ts";
import type { RiskFacts, ScoredFacts } from "./sign-in.ts";

function settingsOf(mode: "observe" | "enforce"): RiskSettings {
  const loaded = loadConfig({ text: JSON.stringify({ auth: { risk: { mode } } }), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return riskSettings(loaded.config.auth.risk);
}

const both = { observe: settingsOf("observe"), enforce: settingsOf("enforce") };
const start = 30_000_000;
const places = [
  { country: "DE", system: 3320, location: { latitude: 53, longitude: 13 } },
  { country: "NG", system: 29_465, location: { latitude: 6, longitude: 3 } },
  { country: "US", system: 7018, location: { latitude: 40, longitude: -74 } },
];
/** Answers from memory share their attributes. */
const attributes = { mail: ["alice@example.test"] };
const ok = {
  outcome: "ok",
  accountField: "mail",
  totpSecretField: "",
  backend: 8,
  attributes,
  memoryCache: "hit",
} as const;

/** An engine whose answers come from its memory, with a Redis of its own. */
function createEngine(remembers: boolean) {
  let minute = start;
  let settings = both.enforce;
  const values = new Map<string, string>();
  const reports: string[] = [];
  const subjects = createRiskSubjects(createRiskNames("a nonce of the test"), "p:");
  const writer = <Of>(encode: (facts: Of) => string, decode: (value: string) => Of | undefined) => ({
    add: (key: string, _read: string, change: Change<Of>) => {
      const value = values.get(key);
      const next = change(value === undefined ? undefined : decode(value));
      if (next !== undefined) values.set(key, encode(next));
    },
    drop: () => undefined,
    flush: async () => undefined,
  });
  const risk = createRisk({
    settings: () => settings,
    subjects,
    store: { read: async (key) => values.get(key) },
    accounts: writer<AccountFacts>(encodeAccountFacts, decodeAccountFacts),
    sources: writer<SourceFacts>(encodeSourceFacts, decodeSourceFacts),
    reviews: { add: () => undefined, drop: () => undefined, flush: async () => undefined },
    places: {
      of: (address) =>
        places[Number(address.split(".")[1]) % places.length] ??
        places[0] ?? { country: "", system: 0, location: undefined },
    },
    reputation: { weightOf: (address, weight) => (address.endsWith(".66") ? weight : undefined) },
    leaked: undefined,
    clock: { now: () => minute * 60_000 },
    onScored: (_attempt, { score, level, mode }, isNewDoubt) => reports.push(`${mode} ${level} ${score} ${isNewDoubt}`),
    onForgotten: () => undefined,
  });
  const signIn = async (account: string, attempt: Attempt, isRight: boolean): Promise<RiskFacts | undefined> => {
    const keys = risk.keysOf(attempt);
    if (keys === undefined) return undefined;
    const read = { keys, account: values.get(keys.account.key) ?? "", source: values.get(keys.source.key) ?? "" };
    const counted = { target: undefined, account: undefined, accountFailures: 0, accountDelayMs: 0, counted: false };
    const figures = { repeatedWrongPassword: false, degraded: false, pending: false };
    const bruteForce = { ...counted, ...figures, accountPasswordsSeen: 0, totalPasswordsSeen: 0, riskRead: read };
    const servedFrom = remembers ? ("memory" as const) : ("shared" as const);
    const cache = { context: "", generation: 0, servedFrom };
    const facts: ScoredFacts = { credential: "password", accountKnown: true, bruteForce, ...(isRight && { cache }) };
    if (!isRight) {
      risk.rememberDecision(attempt, { outcome: "fail", reason: "wrong_password", memoryCache: "miss" }, facts);
      return undefined;
    }
    const decision: Ok = { ...ok, account };
    const found = await risk.assess(attempt, decision, facts);
    if (found === undefined) return undefined;
    risk.rememberDecision(attempt, decision, { ...facts, risk: found });
    return found;
  };
  return {
    signIn,
    values,
    reports,
    pass: (minutes: number, mode: keyof typeof both): void => {
      minute += minutes;
      settings = both[mode];
    },
  };
}

const step = fc.record({
  account: fc.constantFrom("alice", "bob", "carol"),
  alias: fc.boolean(),
  network: fc.nat({ max: 5 }),
  host: fc.constantFrom(7, 8, 66),
  protocol: fc.constantFrom("imap", "pop3", "submission", "smtp"),
  clientId: fc.constantFrom("thunderbird/1", "k-9/2"),
  isRight: fc.boolean(),
  times: fc.integer({ min: 1, max: 3 }),
  minutes: fc.constantFrom(0, 0, 0, 1, 30, 1440, 10_080),
  mode: fc.constantFrom("enforce" as const, "enforce" as const, "observe" as const),
});

const shown = (found: RiskFacts | undefined) =>
  found && {
    score: found.score,
    level: found.level,
    signals: found.signals,
    mode: found.mode,
    isKnown: found.isKnown,
    refusal: found.verdict.refusal,
    responses: [...found.verdict.responses],
  };

test("an engine that remembers scores notices the same sign-ins, and remembers the same about accounts, as one that scores each", async () => {
  let remembered = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
      const [one, other] = [createEngine(true), createEngine(false)];
      for (const { account, alias, network, host, protocol, clientId, isRight, times, minutes, mode } of steps) {
        for (const engine of [one, other]) engine.pass(minutes, mode);
        const attempt: Attempt = {
          session: "s",
          operation: "authenticate",
          dialect: "json",
          password: undefined,
          tls: true,
          username: alias ? `${account}.alias` : account,
          protocol,
          clientId,
          memoryCache: true,
          sharedCache: true,
          clientIp: `10.${network}.0.${host}`,
        };
        for (let time = 0; time < times; time += 1) {
          const found = await one.signIn(account, attempt, isRight);
          if (found?.isRemembered === true) remembered += 1;
          expect(shown(found)).toEqual(shown(await other.signIn(account, attempt, isRight)));
        }
      }
      expect(one.values).toEqual(other.values);
      expect(one.reports).toEqual(other.reports);
    }),
    { numRuns: 60 },
  );
  expect(remembered).toBeGreaterThan(30);
});
