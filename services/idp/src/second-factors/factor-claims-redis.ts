import { claimFactorCode } from "@postern/shared/contracts";
import { homeOf, type RegionCalls } from "@postern/shared/domain/region-calls";
import {
  decidedInRedis,
  type RedisClient,
  redeemedRecoveryCodeKey,
  usedTotpStepKey,
} from "@postern/shared/platform/redis";
import { steadyClock } from "@postern/shared/platform/time";
import type { Static } from "typebox";

/** A code that a sign-in uses up. */
export type FactorClaim = Static<typeof claimFactorCode.request>;

/** `claimed`: by this sign-in. `pending`: another sign-in has begun to use it. `used`: by another sign-in. */
export type ClaimOutcome = Static<typeof claimFactorCode.reply>["outcome"];

const decided = decidedInRedis("codes of second factors cannot be claimed");

/** Claims of the accounts whose home is this region, in its Redis. Throws AppError `REDIS_UNAVAILABLE`. */
export function createFactorClaims(redis: RedisClient, keyPrefix: string) {
  const claimStep = async ({ digest, step = 0, user }: FactorClaim): Promise<ClaimOutcome> => {
    const key = usedTotpStepKey.build(keyPrefix, digest, String(step));
    const isFirst = (await redis.set(key, user, "EX", usedTotpStepKey.ttlSeconds, "NX")) === "OK";
    return isFirst || (user !== anyUser && (await redis.get(key)) === user) ? "claimed" : "used";
  };
  /** A recovery code stays claimed for longer than backends need to tell their replicas in other regions. */
  const claimCode = async ({ digest, move = "claim", user }: FactorClaim): Promise<ClaimOutcome> => {
    const key = redeemedRecoveryCodeKey.build(keyPrefix, digest);
    const { ttlSeconds } = redeemedRecoveryCodeKey;
    if (move === "claim" && (await redis.set(key, user, "EX", ttlSeconds, "NX")) === "OK") return "claimed";
    const holder = await redis.get(key);
    if (holder !== user) return holder === usedCode ? "used" : "pending";
    if (move === "use") await redis.set(key, usedCode, "EX", ttlSeconds);
    if (move === "release") await redis.unlink(key);
    return "claimed";
  };
  return (claim: FactorClaim): Promise<ClaimOutcome> =>
    decided(() => (claim.kind === "totp" ? claimStep(claim) : claimCode(claim)));
}

export type ClaimHere = ReturnType<typeof createFactorClaims>;

/** The sign-in of a claim that is never repeated. */
export const anyUser = "1";
const usedCode = "used";
const waitMs = 3000;

/**
 * Claims a code of an account at the account's home, the only region that decides whether it was used before. While that region is away,
 * nobody can know: the claim throws AppError of the kind `unavailable`.
 */
export function claimAtHome(here: ClaimHere, calls: RegionCalls | undefined) {
  return async (account: string, claim: FactorClaim): Promise<ClaimOutcome> => {
    const home = calls?.elsewhere(homeOf(account, calls.regions));
    if (calls === undefined || home === undefined) return here(claim);
    return (await calls.ask(home, claimFactorCode, claim, { deadline: steadyClock.now() + waitMs })).outcome;
  };
}

export type ClaimFactor = ReturnType<typeof claimAtHome>;
