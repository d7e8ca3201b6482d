import type { EngineWatch } from "@postern/shared/domain/engine-watch";
import type { Bus } from "@postern/shared/platform/bus";
import type { ResponseDelays } from "@postern/shared/platform/concurrency";
import { logFields } from "@postern/shared/platform/errors";
import type { ProcessLogger } from "@postern/shared/platform/logging";
import { steadyClock } from "@postern/shared/platform/time";
import { createAccountDelay } from "../limits/account-delays.ts";
import type { Limits } from "../limits/context.ts";
import type { AccountPages } from "../list-accounts/account-pages.ts";
import { createAnswerListing } from "../list-accounts/answer-listing.ts";
import type { Live } from "../settings.ts";
import type { AuthDeps } from "./answer.ts";
import { createDecide } from "./decide.ts";
import { createDecisionLog } from "./decision-log.ts";

interface AuthParts extends Pick<AuthDeps, "metrics" | "addresses" | "reportIgnoredAddress" | "names"> {
  readonly bus: Bus;
  readonly engineWatch: EngineWatch;
  readonly live: Live;
  readonly accountPages: AccountPages;
  readonly limits: Limits;
  readonly processLogger: ProcessLogger;
  readonly responseDelays: ResponseDelays;
}

/** What the authentication endpoints of all dialects, and gRPC, have in common. */
export function createAuth(parts: AuthParts): AuthDeps {
  const { bus, engineWatch, live, accountPages, limits, processLogger, responseDelays } = parts;
  const { metrics, addresses, reportIgnoredAddress, names } = parts;
  const { logger } = processLogger;
  return {
    decide: createDecide({
      bus,
      watch: engineWatch,
      clock: steadyClock,
      timeoutMs: () => live.current.decisionTimeoutMs,
      onError: (err, session) => logger[err.row.logLevel]({ session, ...logFields(err) }, "no decision"),
    }),
    answerListing: createAnswerListing(accountPages, names, (err, session) =>
      logger[err.row.logLevel]({ session, ...logFields(err) }, "the list of accounts failed"),
    ),
    log: createDecisionLog(processLogger),
    gate: limits.gate,
    delayAccount: createAccountDelay(responseDelays, () => live.current.accountDelays),
    metrics,
    addresses,
    reportIgnoredAddress,
    names,
    live,
  };
}
