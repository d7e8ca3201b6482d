import { accountWideKeys, userPart } from "@postern/shared/domain/brute-force";
import { defineScript, type RedisClient, repetitionsKey } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import type { RedisGuard } from "../brute-force/redis-guard.ts";
import { createWriteThrottle } from "../brute-force/write-throttle.ts";
import type { LoginHistory } from "./login-history.ts";
import countRepetitionLua from "./scripts/count-repetition.lua?raw";
import noteSignedInHashLua from "./scripts/note-signed-in-hash.lua?raw";

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

export interface LoginHistoryDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly clock: Clock;
  readonly guard: Pick<RedisGuard, "run">;
  readonly repeatWindowMs: number;
}

export function createLoginHistory({ redis, keyPrefix, clock, guard, repeatWindowMs }: LoginHistoryDeps): LoginHistory {
  const note = defineScript(redis, noteSignedInHash);
  const count = defineScript(redis, countRepetition);
  const throttle = createWriteThrottle(clock, noteMs);
  const keyOf = (username: string): string => accountWideKeys(keyPrefix, username).signedInHashes;
  return {
    read: (username, digest) =>
      guard.run(async () => {
        const key = keyOf(username);
        const [members, score] = await Promise.all([redis.zcard(key), redis.zscore(key, digest)]);
        return { hasSignedIn: members > 0, hasSignedInWith: score !== null };
      }),
    noteSignIn: (username, digest) => {
      // The digest depends on the name.
      if (!throttle.isDue(digest)) return;
      const noted = guard.run(() => note({ hashesKey: keyOf(username) }, { digest, maxHashes, lifeSeconds }));
      void noted.then((done) => (done === undefined ? undefined : throttle.mark(digest)));
    },
    countRepetition: (network, username) =>
      guard.run(async () => {
        const key = repetitionsKey.build(keyPrefix, network, userPart(username));
        return Number(await count({ repetitionsKey: key }, { windowMs: repeatWindowMs }));
      }),
  };
}
