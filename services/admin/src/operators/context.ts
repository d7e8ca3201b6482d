import { accountNamesFromSettings } from "@postern/shared/assembly";
import { createEnrolments } from "@postern/shared/domain/enrolments";
import { createIsDoubted } from "@postern/shared/domain/risk";
import type { Config } from "@postern/shared/platform/config";
import { systemClock as clock } from "@postern/shared/platform/time";
import type { AdminParts } from "../admin-parts.ts";
import { createInvitations } from "./invitations-redis.ts";
import { createReadRight } from "./operator-right.ts";

/** What accounts may do in the console, and what shows that an operator, and not only someone with the operator's password, set up a second factor. */
export function createOperatorProofs({ storage }: Config, parts: AdminParts) {
  const { live, state: redis, keyPrefix, bus, domains, riskNames: names, reviews } = parts;
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
    enrolments: createEnrolments({
      redis,
      keyPrefix,
      nonce: storage.redis.password_nonce,
      names,
      knownSince: async (account: string) => (await reviews.facts(account))?.sinceMinute,
      knownAfterMinutes: () => live.current.risk.knownAfterMinutes,
      clock,
    }),
  };
}

export type OperatorProofs = ReturnType<typeof createOperatorProofs>;
