import { randomInt } from "node:crypto";
import { shardOf, userPart } from "@postern/shared/domain/brute-force";
import {
  accountAddressesKey,
  accountIndexKey,
  defineVariableScript,
  type RedisClient,
} from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { createBatched } from "./batched.ts";
import noteGuessLua from "./scripts/note-guess.lua?raw";

const noteGuess = { name: "noteGuess", lua: noteGuessLua };

const maxAddresses = 1000;
const maxAccountsPerShard = 100_000;
const maxAtOnce = 64;
/** A set is trimmed after one of so many new members. */
const trimmedOnceIn = 8;

interface RecentSet {
  readonly key: string;
  /** Member, largest number of members, seconds for which a member stays. */
  readonly args: readonly [string, number, number];
}

/**
 * Remembers the addresses that sent wrong passwords for a known account, so that a flush by account finds its addresses. Those of one turn of
 * the event loop are one call, but on a cluster each set has its own. `clock` is that of Redis.
 */
export function createGuessedAccounts(
  redis: RedisClient,
  keyPrefix: string,
  clock: Clock,
): (username: string, address: string) => Promise<void> {
  const run = defineVariableScript(redis, noteGuess, redis.isCluster ? 1 : undefined);
  const note = createBatched(
    async (sets: readonly RecentSet[]): Promise<readonly true[]> => {
      const args = sets.flatMap(({ args: of }) => [...of, randomInt(trimmedOnceIn) === 0 ? 1 : 0]);
      await run(
        sets.map(({ key }) => key),
        [Math.floor(clock.now() / 1000), ...args],
      );
      return sets.map(() => true);
    },
    { maxBatchSize: redis.isCluster ? 1 : maxAtOnce },
  );
  return async (username, address) => {
    const user = userPart(username);
    await Promise.all([
      note({
        key: accountAddressesKey.build(keyPrefix, user),
        args: [address, maxAddresses, accountAddressesKey.ttlSeconds],
      }),
      note({
        key: accountIndexKey.build(keyPrefix, shardOf(user)),
        args: [user, maxAccountsPerShard, accountIndexKey.ttlSeconds],
      }),
    ]);
  };
}
