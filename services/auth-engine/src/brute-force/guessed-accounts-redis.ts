import { shardOf, userPart } from "@postern/shared/domain/brute-force";
import {
  accountAddressesKey,
  accountIndexKey,
  defineVariableScript,
  type RedisClient,
} from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import noteGuessLua from "./scripts/note-guess.lua?raw";

const noteGuess = { name: "noteGuess", lua: noteGuessLua };

const maxAddresses = 1000;
const maxAccountsPerShard = 100_000;

interface RecentSet {
  readonly key: string;
  /** Member, largest number of members, seconds for which a member stays. */
  readonly args: readonly [string, number, number];
}

/**
 * Remembers the addresses that sent wrong passwords for a known account, so that a flush by account finds its addresses. One call, but on a
 * cluster one for each set. `clock` is that of Redis.
 */
export function createGuessedAccounts(
  redis: RedisClient,
  keyPrefix: string,
  clock: Clock,
): (username: string, address: string) => Promise<void> {
  const run = defineVariableScript(redis, noteGuess, redis.isCluster ? 1 : undefined);
  const note = (sets: readonly RecentSet[]): Promise<unknown> =>
    run(
      sets.map(({ key }) => key),
      [Math.floor(clock.now() / 1000), ...sets.flatMap(({ args }) => args)],
    );
  return async (username, address) => {
    const user = userPart(username);
    const sets: readonly RecentSet[] = [
      {
        key: accountAddressesKey.build(keyPrefix, user),
        args: [address, maxAddresses, accountAddressesKey.ttlSeconds],
      },
      {
        key: accountIndexKey.build(keyPrefix, shardOf(user)),
        args: [user, maxAccountsPerShard, accountIndexKey.ttlSeconds],
      },
    ];
    await (redis.isCluster ? Promise.all(sets.map((set) => note([set]))) : note(sets));
  };
}
