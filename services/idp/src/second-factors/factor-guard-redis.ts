import { setTimeout as delay } from "node:timers/promises";
import { accountDigest, factorLockKeys } from "@postern/shared/domain/factor-locks";
import { digestOf } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import {
  decidedInRedis,
  defineScript,
  factorFlowAttemptsKey,
  type RedisClient,
  readFields,
  redeemedRecoveryCodeKey,
} from "@postern/shared/platform/redis";
import { steadyClock } from "@postern/shared/platform/time";
import type { FactorMethod } from "../flow/flow-record.ts";
import { createWindowCount } from "../redis/count-in-window.ts";
import { anyUser, type ClaimFactor } from "./factor-claims-redis.ts";
import admitFactorAttemptLua from "./scripts/admit-factor-attempt.lua?raw";
import undoFactorAttemptLua from "./scripts/undo-factor-attempt.lua?raw";
import { readTotpSecret } from "./totp.ts";

interface UsedStep {
  readonly account: string;
  /** The stored secret. */
  readonly stored: string;
  readonly step: number;
  /** The sign-in that uses it: the form with a code may be sent twice, and the second time is answered as the first. */
  readonly flowId?: string;
}

interface TypedRecoveryCode {
  readonly account: string;
  readonly code: string;
  readonly flowId: string;
  /** Time of `steadyClock`. */
  readonly deadline: number;
}

/** An attempt to prove a second factor at sign-in. */
export interface FactorAttempt {
  readonly account: string;
  readonly method: FactorMethod;
  readonly flowId: string;
  /** Whether the password was correct. Only then does the attempt count for the account. */
  readonly isProved: boolean;
  /** Whether that must remain hidden. Then the page depends only on the flow's own attempts. */
  readonly isHidden: boolean;
}

const admissions = ["admitted", "throttled", "locked", "discarded"] as const;

/**
 * `throttled`: too many recent attempts. `locked`: too many consecutive wrong codes; an operator can unlock. `discarded`: the
 * account is throttled or locked, which must not show: the attempt runs like any other and is rejected in any case.
 */
export type Admission = (typeof admissions)[number];

export interface Admitted {
  readonly admission: Admission;
  /** Number of consecutive wrong codes if this one is wrong; 0 if they are not counted. */
  readonly failures: number;
}

const decided = decidedInRedis("attempts at second factors cannot be counted");

function readAdmitted(reply: unknown): Admitted {
  const { admission, failures } = readFields(reply);
  const known = admissions.find((one) => one === admission);
  if (known === undefined) throw new TypeError("the script of factor attempts replied with an unknown admission");
  return { admission: known, failures: Number(failures) };
}

export interface FactorGuardSettings {
  /** Attempts within the window. */
  readonly maxAttempts: number;
  /** Consecutive wrong codes of one factor. */
  readonly maxFailures: number;
  /** Claims codes for one sign-in, at the home of the account. */
  readonly claim: ClaimFactor;
  /** Without other regions, the backend alone decides whether a recovery code was used. */
  readonly hasOtherRegions: boolean;
}

/** Counts attempts at sign-ins: consecutive ones for the account, and those of the flow. */
function createAttemptCounts(redis: RedisClient, keyPrefix: string, { maxAttempts, maxFailures }: FactorGuardSettings) {
  const admit = defineScript(redis, {
    name: "admitFactorAttempt",
    lua: admitFactorAttemptLua,
    keys: ["attemptsKey", "failuresKey", "flowKey"],
    args: ["maxAttempts", "windowSeconds", "maxFailures", "failuresSeconds", "isProved", "isHidden"],
  });
  const undo = defineScript(redis, {
    name: "undoFactorAttempt",
    lua: undoFactorAttemptLua,
    keys: ["attemptsKey", "failuresKey", "flowKey"],
    args: ["isAccountCounted", "isFlowCounted"],
  });
  const keysOf = ({ account, method, flowId }: FactorAttempt) => {
    const { attempts, failures } = factorLockKeys(keyPrefix, account, method);
    const flow = factorFlowAttemptsKey.build(keyPrefix, accountDigest(account), digestOf(flowId).toString("base64url"));
    return { attemptsKey: attempts, failuresKey: failures, flowKey: flow };
  };
  return {
    /** Counts an attempt before it is verified, so that concurrent attempts count too. */
    admit: (attempt: FactorAttempt): Promise<Admitted> =>
      decided(async () => {
        const { account, method, isProved, isHidden } = attempt;
        const { windowSeconds, failuresSeconds } = factorLockKeys(keyPrefix, account, method);
        const reply = await admit(keysOf(attempt), {
          maxAttempts,
          windowSeconds,
          // A signature cannot be guessed.
          maxFailures: method === "webauthn" ? 0 : maxFailures,
          failuresSeconds,
          isProved: isProved ? 1 : 0,
          isHidden: isHidden ? 1 : 0,
        });
        return readAdmitted(reply);
      }),
    /** The attempt could not be verified: undoes what `admit` counted for the account and the flow. */
    undecided: (attempt: FactorAttempt, admission: Admission): Promise<void> =>
      decided(async () => {
        const isAccountCounted = attempt.isProved && admission === "admitted" ? 1 : 0;
        await undo(keysOf(attempt), { isAccountCounted, isFlowCounted: attempt.isHidden ? 1 : 0 });
      }),
  };
}

const lookMs = 50;

/**
 * Redeems a recovery code that no other region is redeeming: backends of two regions may need a moment to tell each other what was used.
 * @throws AppError UPSTREAM_UNAVAILABLE while another sign-in uses the code, and cannot be known to have used it
 */
async function redeemAtHome(
  { account, code, flowId }: TypedRecoveryCode,
  redeem: () => Promise<boolean>,
  claim: ClaimFactor,
): Promise<boolean> {
  const digest = digestOf(`${account}\n${code}`).toString("base64url");
  const claimed = { kind: "recovery", digest, user: digestOf(flowId).toString("base64url") } as const;
  const outcome = await claim(account, claimed);
  if (outcome === "used") return false;
  if (outcome === "pending") throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "another sign-in uses this code" });
  const isRight = await redeem();
  // Without it, other sign-ins with this code fail temporarily until the claim ends.
  await claim(account, { ...claimed, move: isRight ? "use" : "release" }).catch(() => undefined);
  return isRight;
}

/** Redeems a recovery code once in a sign-in, although its form may be sent twice. */
function createRedemptions(redis: RedisClient, keyPrefix: string, claim: ClaimFactor | undefined) {
  const decideFirst = async (key: string, redeem: () => Promise<boolean>): Promise<boolean> => {
    const isRight = await redeem().catch(async (error: unknown) => {
      await redis.unlink(key).catch(() => undefined);
      throw error;
    });
    // The code is used up, so a failure here must not end the sign-in.
    const noted = isRight ? redis.set(key, "redeemed", "EX", redeemedRecoveryCodeKey.ttlSeconds) : redis.unlink(key);
    await noted.catch(() => undefined);
    return isRight;
  };
  return {
    /** The second of two submissions has the outcome of the first, without running `redeem`. */
    redeemOnce: async (
      typed: TypedRecoveryCode,
      redeemHere: () => Promise<boolean>,
    ): Promise<"redeemed" | "repeated" | "wrong"> => {
      const { account, code, flowId, deadline } = typed;
      const redeem = claim === undefined ? redeemHere : () => redeemAtHome(typed, redeemHere, claim);
      const key = redeemedRecoveryCodeKey.build(
        keyPrefix,
        digestOf(`${flowId}\n${account}\n${code}`).toString("base64url"),
      );
      for (;;) {
        const leftMs = Math.ceil(deadline - steadyClock.now());
        if (leftMs <= 0) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "the same recovery code is undecided" });
        const claimed = await decided(() => redis.set(key, "pending", "PX", leftMs, "NX"));
        if (claimed === "OK") return (await decideFirst(key, redeem)) ? "redeemed" : "wrong";
        if ((await decided(() => redis.get(key))) === "redeemed") return "repeated";
        await delay(lookMs);
      }
    },
  };
}

/** Limits the guessing of codes and prevents their reuse. Every method throws AppError `REDIS_UNAVAILABLE`. */
export function createFactorGuard(redis: RedisClient, keyPrefix: string, settings: FactorGuardSettings) {
  const { maxAttempts, claim, hasOtherRegions } = settings;
  const count = createWindowCount(redis);
  const clear = async (keys: readonly string[]): Promise<void> =>
    void (await Promise.all(keys.map((key) => redis.del(key))));
  return {
    ...createAttemptCounts(redis, keyPrefix, settings),
    ...createRedemptions(redis, keyPrefix, hasOtherRegions ? claim : undefined),
    /** The code was correct: resets the counts. */
    succeeded: ({ account, method }: Pick<FactorAttempt, "account" | "method">): Promise<void> =>
      decided(async () => {
        const { attempts, failures } = factorLockKeys(keyPrefix, account, method);
        await clear([attempts, failures]);
      }),
    /** Counts a code that confirms a new factor of a signed-in user. @returns whether it may be tried */
    admitSetup: (account: string): Promise<boolean> =>
      decided(async () => {
        const { attempts, windowSeconds } = factorLockKeys(keyPrefix, account, "totp");
        return (await count(attempts, windowSeconds)) <= maxAttempts;
      }),
    /** The factor was replaced: resets its count. */
    replaced: (account: string, method: FactorMethod): Promise<void> =>
      decided(() => clear([factorLockKeys(keyPrefix, account, method).failures])),
    /**
     * Counts per secret, because the first code of a new secret may fall into the step in which the old one was used.
     * @returns false if a code of this secret's time step was used before, in any region, and not in the same sign-in
     */
    claimTotpStep: async ({ account, stored, step, flowId }: UsedStep): Promise<boolean> => {
      const secret = readTotpSecret(stored)?.secret ?? stored;
      const digest = digestOf(`${account}\n${secret}`).toString("base64url");
      const user = flowId === undefined ? anyUser : digestOf(flowId).toString("base64url");
      return (await claim(account, { kind: "totp", digest, step, user })) === "claimed";
    },
  };
}
