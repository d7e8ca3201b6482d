import { accountWideKeys, userPart } from "@postern/shared/domain/brute-force";
import { defineScript, repetitionsKey } from "@postern/shared/platform/redis";

import countRepetitionLua from "./scripts/count-repetition.lua?raw";
import noteSignedInHashLua from "./scripts/note-signed-in-hash.lua?raw";
import type { RedisParts } from "./shared-store.ts";
import { createWriteThrottle } from "./write-limits.ts";

/** What is stored about an account whose sign-ins a mail server verifies and reports. */
export interface ReportedAccount {
  /** The account has signed in. Only then is it certain that it exists. */
  readonly hasSignedIn: boolean;
  /** It has signed in with this password hash. */
  readonly hasSignedInWith: boolean;
}

const countRepetition = {
  name: "countRepetition",
  lua: countRepetitionLua,
  keys: ["repetitionsKey"],
  args: ["windowMs"],
} as const;
const noteSignedInHash = {
  name: "noteSignedInHash",
  lua: noteSignedInHashLua,
  keys: ["hashesKey"],
  args: ["digest", "maxHashes", "lifeSeconds"],
} as const;

/** An account may have several app passwords. */
const maxHashes = 8;
const lifeSeconds = 30 * 86_400;
/** A sign-in with the same password is not written again within this time. */
const noteMs = 3_600_000;

interface LoginHistoryDeps extends Pick<RedisParts, "redis" | "clock" | "guard"> {
  readonly keyPrefix: string;
  readonly repeatWindowMs: number;
}

/**
 * History of reported sign-ins, in Redis, for all engines. Undefined while Redis is unavailable.
 *
 * Mail servers of some versions report every failure alike: a wrong password, an unknown account, and a passdb that does
 * not answer. A hash with which the account signed in is not a guess.
 */
export function createLoginHistory({ redis, keyPrefix, clock, guard, repeatWindowMs }: LoginHistoryDeps) {
  const note = defineScript(redis, noteSignedInHash);
  const count = defineScript(redis, countRepetition);
  const throttle = createWriteThrottle(clock, noteMs);
  const keyOf = (username: string): string => accountWideKeys(keyPrefix, username).signedInHashes;
  return {
    /** `digest`: of name and password hash. */
    readAccount: (username: string, digest: string): Promise<ReportedAccount | undefined> =>
      guard.run(async () => {
        const key = keyOf(username);
        const [members, score] = await Promise.all([redis.zcard(key), redis.zscore(key, digest)]);
        return { hasSignedIn: members > 0, hasSignedInWith: score !== null };
      }),
    noteSignIn: (username: string, digest: string): void => {
      // The digest depends on the name.
      if (!throttle.isDue(digest)) return;
      const noted = guard.run(() => note({ hashesKey: keyOf(username) }, { digest, maxHashes, lifeSeconds }));
      void noted.then((done) => (done === undefined ? undefined : throttle.mark(digest)));
    },
    /** Number of repeated failures of the account from the network, with this one, within the repeat window. */
    countRepetition: (network: string, username: string): Promise<number | undefined> =>
      guard.run(async () => {
        const key = repetitionsKey.build(keyPrefix, network, userPart(username));
        return Number(await count({ repetitionsKey: key }, { windowMs: repeatWindowMs }));
      }),
  };
}

export type LoginHistory = ReturnType<typeof createLoginHistory>;
