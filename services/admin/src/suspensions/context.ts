import { ownRegionFromConfig, suspensionsFromConfig } from "@postern/shared/assembly";
import { createAccountFlush } from "@postern/shared/domain/account-epoch";
import { createRevoker, serviceTokenNames } from "@postern/shared/domain/tokens";
import type { Config } from "@postern/shared/platform/config";
import { systemClock } from "@postern/shared/platform/time";
import type { AdminParts } from "../admin-parts.ts";
import { createChangeSuspension } from "./change-suspension.ts";

/** The suspended accounts, and what suspends and resumes them. */
export function createSuspending(config: Config, parts: AdminParts) {
  const { state: redis, cache, keyPrefix, bus, sharedClock: clock } = parts;
  const suspensions = suspensionsFromConfig(config, parts, { redis, bus, clock });
  const region = ownRegionFromConfig(config, redis);
  const revoker = createRevoker(redis, keyPrefix, systemClock, region?.log);
  const { issuer } = serviceTokenNames(config.runtime.naming.identifier);
  const revokeTokens = (account: string): Promise<void> => revoker.denySubject(issuer, account);
  const flushCaches = createAccountFlush({ redis: cache, bus, keyPrefix });
  const flushAccount = async (user: string): Promise<void> => {
    await flushCaches(user);
    await region?.log.append({ kind: "account-flush", user, keepsBans: true });
  };
  const changeSuspension = createChangeSuspension({ ...parts, suspensions, revokeTokens, flushAccount, clock });
  return { suspensions, changeSuspension };
}

export type Suspending = ReturnType<typeof createSuspending>;
