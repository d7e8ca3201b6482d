import type { EngineBus } from "@postern/shared/assembly";
import { type BruteForceRecords, foldedName } from "@postern/shared/domain/brute-force";
import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { AccountChanges, DecisionHistory } from "@postern/shared/domain/history";
import type { Locate } from "@postern/shared/domain/places";
import {
  createRiskNames,
  createRiskReviews,
  createRiskStore,
  type RiskReviews,
  type RiskSettings,
} from "@postern/shared/domain/risk";
import type { Suspensions } from "@postern/shared/domain/suspensions";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock as clock } from "@postern/shared/platform/time";
import type { FactorLocks } from "../../factor-locks/factor-locks-redis.ts";
import type { LiveAdminSettings } from "../../settings.ts";
import { writtenSuspension } from "../../suspensions/written-suspension.ts";
import { createDescribe } from "../account/context.ts";
import { createDoubts } from "./doubts.ts";
import { createExplain, type ExplainDeps } from "./explain.ts";
import { createExplainRisk } from "./explain-risk.ts";

interface Parts extends Pick<EngineBus, "bus"> {
  readonly live: { readonly current: LiveAdminSettings };
  readonly state: RedisClient;
  readonly history: DecisionHistory | undefined;
  readonly accountNames: FindAccountNames;
  readonly bruteForce: BruteForceRecords;
  readonly factorLocks: FactorLocks;
  readonly suspensions: Pick<Suspensions, "read">;
  readonly changes: AccountChanges | undefined;
  readonly locate: Locate;
}

const minuteMs = 60_000;

function createHoldOf(reviews: RiskReviews, settings: () => RiskSettings): ExplainDeps["holdOf"] {
  return async (account) => {
    if (settings().mode !== "enforce") return undefined;
    const hold = (await reviews.facts(account))?.hold;
    const endMs = (hold?.untilMinute ?? 0) * minuteMs;
    return hold !== undefined && endMs > clock.now()
      ? { kind: hold.kind, end: new Date(endMs).toISOString() }
      : undefined;
  };
}

function createSuspensionOf(suspensions: Pick<Suspensions, "read">): ExplainDeps["suspensionOf"] {
  return async (accounts, isVisible) => {
    // Also as typed: a name that no backend knows is suspended in its folded form.
    const names = new Set([...accounts, ...accounts.map(foldedName)]);
    const found = await Promise.all([...names].map((account) => suspensions.read(account)));
    const first = found.find((one) => one !== undefined);
    return first && writtenSuspension(first, isVisible);
  };
}

/** While brute-force protection only observes, no ban and no delay is the cause of anything. */
function inForce(bruteForce: BruteForceRecords, live: Parts["live"]): ExplainDeps["bruteForce"] {
  return {
    addressesOf: (account) => bruteForce.addressesOf(account),
    bansOfAddress: async (address) => (live.current.enforcesBans ? bruteForce.bansOfAddress(address) : []),
    wrongPasswordsOf: (account) => bruteForce.wrongPasswordsOf(account),
    delayedAmong: async (accounts) => (live.current.enforcesBans ? bruteForce.delayedAmong(accounts) : []),
  };
}

/** The answers to what happened at a sign-in, and to what engines know of the sign-ins of an account. */
export function createExplanations({ storage }: Config, parts: Parts) {
  const { live, state, history, accountNames, bruteForce, factorLocks, suspensions } = parts;
  const settings = () => live.current.risk;
  const reviews = createRiskReviews({
    store: createRiskStore(state, live.current.decisionTimeoutMs),
    names: createRiskNames(storage.redis.password_nonce),
    keyPrefix: storage.redis.prefix,
    settings,
    clock,
  });
  return {
    explain: createExplain({
      history,
      bruteForce: inForce(bruteForce, live),
      rules: () => live.current.flush.rules,
      accountNames,
      describe: createDescribe(parts),
      factorLimits: (account) => factorLocks.limits(account),
      holdOf: createHoldOf(reviews, settings),
      suspensionOf: createSuspensionOf(suspensions),
      doubtsOf: createDoubts({ ...parts, reviews }),
      clock,
    }),
    explainRisk: createExplainRisk({ reviews, history, accountNames, settings, clock }),
  };
}
