import type { ResponseDelays } from "@postern/shared/platform/concurrency";
import type { Foundation } from "../foundation.ts";
import { createAccountDelay } from "../limits/account-delays.ts";
import type { Limits } from "../limits/context.ts";
import type { AccountPages } from "../list-accounts/account-pages.ts";
import { createAnswerListing } from "../list-accounts/answer-listing.ts";
import { createDecide } from "./decide.ts";
import { createDecisionLog } from "./decision-log.ts";

/** What the authentication endpoints of all dialects, and gRPC, have in common. */
export function createAuth(
  foundation: Foundation,
  { gate }: Limits,
  accountPages: AccountPages,
  responseDelays: ResponseDelays,
) {
  return {
    ...foundation,
    decide: createDecide(foundation),
    answerListing: createAnswerListing(accountPages, foundation),
    log: createDecisionLog(foundation.processLogger),
    gate,
    delayAccount: createAccountDelay(responseDelays, () => foundation.live.current.accountDelays),
  };
}

export type AuthDeps = ReturnType<typeof createAuth>;
