import { accountDigest, factorLockKeys } from "@postern/shared/domain/factor-locks";
import { digestOf } from "@postern/shared/platform/crypto";
import {
  decidedInRedis,
  defineScript,
  factorFlowAttemptsKey,
  type RedisClient,
  readFields,
  usedTotpStepKey,
} from "@postern/shared/platform/redis";
import { createWindowCount } from "../redis/count-in-window.ts";
import type { Admission, Admitted, FactorAttempt, FactorGuard } from "./factor-guard.ts";
import admitFactorAttemptLua from "./scripts/admit-factor-attempt.lua?raw";
import undoFactorAttemptLua from "./scripts/undo-factor-attempt.lua?raw";
import { readTotpSecret } from "./totp.ts";

const admitFactorAttempt = {
  name: "admitFactorAttempt",
  lua: admitFactorAttemptLua,
  keys: ["attemptsKey", "failuresKey", "flowKey"],
  args: ["maxAttempts", "windowSeconds", "maxFailures", "failuresSeconds", "isProved", "isHidden"],
} as const;
const undoFactorAttempt = {
  name: "undoFactorAttempt",
  lua: undoFactorAttemptLua,
  keys: ["attemptsKey", "failuresKey", "flowKey"],
  args: ["isAccountCounted", "isFlowCounted"],
} as const;

const admissions: Readonly<Record<string, Admission>> = {
  admitted: "admitted",
  throttled: "throttled",
  locked: "locked",
  discarded: "discarded",
};

const decided = decidedInRedis("attempts at second factors cannot be counted");

function readAdmitted(reply: unknown): Admitted {
  const { admission, failures } = readFields(reply);
  const known = admissions[String(admission)];
  if (known === undefined) throw new TypeError("the script of factor attempts replied with an unknown admission");
  return { admission: known, failures: Number(failures) };
}

export interface FactorGuardSettings {
  /** Attempts within the window. */
  readonly maxAttempts: number;
  /** Consecutive wrong codes of one factor. */
  readonly maxFailures: number;
}

/** Counts attempts at sign-ins: consecutive ones for the account, and those of the flow. */
function createAttemptCounts(
  redis: RedisClient,
  keyPrefix: string,
  { maxAttempts, maxFailures }: FactorGuardSettings,
): Pick<FactorGuard, "admit" | "undecided"> {
  const admit = defineScript(redis, admitFactorAttempt);
  const undo = defineScript(redis, undoFactorAttempt);
  const keysOf = ({ account, method, flowId }: FactorAttempt) => {
    const { attempts, failures } = factorLockKeys(keyPrefix, account, method);
    const flow = factorFlowAttemptsKey.build(keyPrefix, accountDigest(account), digestOf(flowId).toString("base64url"));
    return { attemptsKey: attempts, failuresKey: failures, flowKey: flow };
  };
  return {
    admit: (attempt) =>
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
    undecided: (attempt, admission) =>
      decided(async () => {
        const isAccountCounted = attempt.isProved && admission === "admitted" ? 1 : 0;
        await undo(keysOf(attempt), { isAccountCounted, isFlowCounted: attempt.isHidden ? 1 : 0 });
      }),
  };
}

export function createFactorGuard(redis: RedisClient, keyPrefix: string, settings: FactorGuardSettings): FactorGuard {
  const { maxAttempts } = settings;
  const count = createWindowCount(redis);
  const clear = async (keys: readonly string[]): Promise<void> =>
    void (await Promise.all(keys.map((key) => redis.del(key))));
  return {
    ...createAttemptCounts(redis, keyPrefix, settings),
    succeeded: ({ account, method }) =>
      decided(async () => {
        const { attempts, failures } = factorLockKeys(keyPrefix, account, method);
        await clear([attempts, failures]);
      }),
    admitSetup: (account) =>
      decided(async () => {
        const { attempts, windowSeconds } = factorLockKeys(keyPrefix, account, "totp");
        return (await count(attempts, windowSeconds)) <= maxAttempts;
      }),
    replaced: (account, method) => decided(() => clear([factorLockKeys(keyPrefix, account, method).failures])),
    claimTotpStep: ({ account, stored, step }) =>
      decided(async () => {
        const secret = readTotpSecret(stored)?.secret ?? stored;
        const digest = digestOf(`${account}\n${secret}`).toString("base64url");
        const key = usedTotpStepKey.build(keyPrefix, digest, String(step));
        return (await redis.set(key, "1", "EX", usedTotpStepKey.ttlSeconds, "NX")) === "OK";
      }),
  };
}
