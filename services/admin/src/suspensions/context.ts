import { type Base, ownRegionFromConfig, suspensionsFromConfig } from "@postern/shared/assembly";
import { createAccountFlush } from "@postern/shared/domain/account-epoch";
import type { FindAccountNames } from "@postern/shared/domain/flush";
import { createRevoker, serviceTokenNames } from "@postern/shared/domain/tokens";
import type { Bus } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { type Clock, systemClock } from "@postern/shared/platform/time";
import { createChangeSuspension } from "./change-suspension.ts";

interface Parts extends Pick<Base, "logger"> {
  readonly redis: RedisClient;
  readonly cache: RedisClient;
  readonly bus: Bus;
  readonly accountNames: FindAccountNames;
  /** The clock of Redis. */
  readonly clock: Clock;
}

/** The suspended accounts, and what suspends and resumes them. */
export function createSuspending(config: Config, { redis, cache, bus, accountNames, clock, logger }: Parts) {
  const { storage, runtime } = config;
  const suspensions = suspensionsFromConfig(config, { logger }, { redis, bus, clock });
  const { prefix: keyPrefix } = storage.redis;
  const region = ownRegionFromConfig(config, redis);
  const revoker = createRevoker(redis, keyPrefix, systemClock, region?.log);
  const { issuer } = serviceTokenNames(runtime.naming.identifier);
  const revokeTokens = (account: string): Promise<void> => revoker.denySubject(issuer, account);
  const flushCaches = createAccountFlush({ redis: cache, bus, keyPrefix });
  const flushAccount = async (user: string): Promise<void> => {
    await flushCaches(user);
    await region?.log.append({ kind: "account-flush", user, keepsBans: true });
  };
  const parts = { suspensions, accountNames, bus, revokeTokens, flushAccount, logger, clock };
  const changeSuspension = createChangeSuspension(parts);
  return { suspensions, changeSuspension };
}
