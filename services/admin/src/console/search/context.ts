import { type BruteForceRecords, foldedName } from "@postern/shared/domain/brute-force";
import { type RiskReviews, type RiskSettings } from "@postern/shared/domain/risk";
import { systemClock as clock } from "@postern/shared/platform/time";
import type { AdminParts } from "../../admin-parts.ts";
import type { AdminRecords } from "../../admin-records.ts";
import type { FactorLocks } from "../../factor-locks/factor-locks-redis.ts";
import type { Suspending } from "../../suspensions/context.ts";
import { writtenSuspension } from "../../suspensions/written-suspension.ts";
import { createDescribe } from "../account/context.ts";
import { createDoubts } from "./doubts.ts";
import { createExplain, type ExplainDeps } from "./explain.ts";
import { createExplainRisk } from "./explain-risk.ts";

type Parts = AdminParts &
  Pick<AdminRecords, "history" | "bruteForce" | "changes"> &
  Pick<Suspending, "suspensions"> & { readonly factorLocks: FactorLocks };

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

function createSuspensionOf(suspensions: Suspending["suspensions"]): ExplainDeps["suspensionOf"] {
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
export function createExplanations(parts: Parts) {
  const { live, bruteForce, factorLocks, suspensions, reviews } = parts;
  const settings = () => live.current.risk;
  return {
    explain: createExplain({
      ...parts,
      bruteForce: inForce(bruteForce, live),
      rules: () => live.current.flush.rules,
      describe: createDescribe(parts),
      factorLimits: (account) => factorLocks.limits(account),
      holdOf: createHoldOf(reviews, settings),
      suspensionOf: createSuspensionOf(suspensions),
      doubtsOf: createDoubts(parts),
      clock,
    }),
    explainRisk: createExplainRisk({ ...parts, settings, clock }),
  };
}
