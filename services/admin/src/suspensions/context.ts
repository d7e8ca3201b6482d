import { createRevoker, serviceTokenNames } from "@postern/shared/domain/tokens";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { type ChangeSuspensionDeps, createChangeSuspension } from "./change-suspension.ts";

/** What suspends accounts and resumes them. */
export function createSuspending(
  { storage, runtime }: Config,
  { state, ...deps }: Omit<ChangeSuspensionDeps, "revokeTokens"> & { readonly state: RedisClient },
) {
  const revoker = createRevoker(state, storage.redis.prefix, systemClock);
  const { issuer } = serviceTokenNames(runtime.naming.identifier);
  return createChangeSuspension({ ...deps, revokeTokens: (account) => revoker.denySubject(issuer, account) });
}
