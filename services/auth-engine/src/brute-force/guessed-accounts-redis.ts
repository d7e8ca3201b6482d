import { shardOf, userPart } from "@postern/shared/domain/brute-force";
import { accountAddressesKey, accountIndexKey, defineScript, type RedisClient } from "@postern/shared/platform/redis";
import { noteGuess } from "./scripts/scripts.generated.ts";

const maxAddresses = 1000;
const maxAccountsPerShard = 100_000;

/** Remembers the addresses that sent wrong passwords for a known account, so that a flush by account finds its addresses. */
export function createGuessedAccounts(
  redis: RedisClient,
  keyPrefix: string,
): (username: string, address: string) => Promise<void> {
  const note = defineScript(redis, noteGuess);
  const addresses = { maxMembers: maxAddresses, lifeSeconds: accountAddressesKey.ttlSeconds };
  const accounts = { maxMembers: maxAccountsPerShard, lifeSeconds: accountIndexKey.ttlSeconds };
  return async (username, address) => {
    const user = userPart(username);
    await Promise.all([
      note({ recentKey: accountAddressesKey.build(keyPrefix, user) }, { member: address, ...addresses }),
      note({ recentKey: accountIndexKey.build(keyPrefix, shardOf(user)) }, { member: user, ...accounts }),
    ]);
  };
}
