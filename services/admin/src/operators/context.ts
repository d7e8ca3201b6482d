import { accountNamesFromSettings, type EngineBus, type LiveDomains } from "@postern/shared/assembly";
import { createEnrolments } from "@postern/shared/domain/enrolments";
import { createIsDoubted, createRiskNames, createRiskReviews, createRiskStore } from "@postern/shared/domain/risk";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock as clock } from "@postern/shared/platform/time";
import type { LiveAdminSettings } from "../settings.ts";
import { createInvitations } from "./invitations-redis.ts";
import { createReadRight } from "./operator-right.ts";

interface Parts extends Pick<EngineBus, "bus"> {
  readonly live: { readonly current: LiveAdminSettings };
  readonly state: RedisClient;
  readonly domains: LiveDomains;
}

/** What accounts may do in the console, and what shows that an operator, and not only someone with the operator's password, set up a second factor. */
export function createOperatorProofs({ storage }: Config, { live, state: redis, bus, domains }: Parts) {
  const { password_nonce: nonce, prefix: keyPrefix } = storage.redis;
  const names = createRiskNames(nonce);
  const settings = () => live.current.risk;
  const store = createRiskStore(redis, live.current.decisionTimeoutMs);
  const reviews = createRiskReviews({ store, names, keyPrefix, settings, clock });
  const knownSince = async (account: string) => (await reviews.facts(account))?.sinceMinute;
  const knownAfterMinutes = () => settings().knownAfterMinutes;
  return {
    readRight: createReadRight(
      () => live.current.console.roles,
      () => domains.current,
    ),
    /** Whether someone else may have the password of an account. */
    isDoubted: createIsDoubted(reviews, clock),
    invitations: createInvitations(redis, keyPrefix, names, clock),
    /** Accounts as only the sign-in pages name them. */
    namesOnPages: accountNamesFromSettings({ bus, live: () => ({ protocols: ["idp"] }) }),
    enrolments: createEnrolments({ redis, keyPrefix, nonce, names, knownSince, knownAfterMinutes, clock }),
  };
}

export type OperatorProofs = ReturnType<typeof createOperatorProofs>;
