import { createAttributeFilter, secretFields } from "@postern/shared/domain/released-attributes";
import type { Config } from "@postern/shared/platform/config";
import { logFields } from "@postern/shared/platform/errors";
import type { Logger } from "@postern/shared/platform/logging";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import type { Tracer } from "@postern/shared/platform/tracing";
import { createAccountShares } from "../backends/account-shares.ts";
import type { BackendSet } from "../backends/backend-set.ts";
import type { PasswordParts } from "../backends/context.ts";
import type { LiveBruteForce } from "../brute-force/context.ts";
import { noteOf } from "../history/note-of.ts";
import type { MailTokenState } from "../mail-tokens/context.ts";
import type { EngineMetrics } from "../metrics.ts";
import type { ResultCacheParts } from "../result-cache/context.ts";
import type { LiveRisk } from "../risk/context.ts";
import { type Authenticate, createAuthenticate } from "../rpc/authenticate.ts";
import { createDescribeAccount, type DescribeAccount } from "../rpc/describe-account.ts";
import { createListAccounts, type ListAccounts } from "../rpc/list-accounts.ts";
import type { MfaCredentialParts } from "../second-factors/context.ts";
import type { LiveEngineSettings } from "../settings.ts";
import type { HistoryThread } from "./history-thread.ts";
import type { DecisionRules } from "./rules.ts";
import type { EngineScripts } from "./scripts.ts";

interface Parts {
  readonly logger: Logger;
  readonly tracer: Tracer | undefined;
  readonly metrics: EngineMetrics;
  readonly live: { readonly current: LiveEngineSettings };
  readonly rules: { readonly current: DecisionRules };
  readonly backends: BackendSet;
  readonly mailTokens: MailTokenState | undefined;
  readonly bruteForce: LiveBruteForce | undefined;
  /** Absent if no sign-in is scored. */
  readonly risk: LiveRisk | undefined;
  readonly resultCache: ResultCacheParts;
  readonly scripts: EngineScripts;
  readonly mfaCredentials: Pick<MfaCredentialParts, "appPasswordUses">;
  readonly decoysOf: PasswordParts["decoysOf"];
  /** Absent while no history is recorded. */
  readonly history: HistoryThread | undefined;
}

export function makeAuthenticate(parts: Parts): Authenticate {
  const {
    logger,
    metrics,
    live,
    rules,
    backends,
    mailTokens,
    bruteForce,
    resultCache,
    scripts,
    history,
    tracer,
    risk,
  } = parts;
  const accountShares = createAccountShares(parts.decoysOf.digest);
  return createAuthenticate({
    stepDeps: () => ({
      ...rules.current,
      backends: backends.current,
      accountShares,
      checkMailToken: mailTokens?.check,
      resultCaches: resultCache.caches,
      bruteForce: bruteForce?.current,
      risk,
      scripts: scripts.siteScripts,
      appPasswordUses: parts.mfaCredentials.appPasswordUses,
      appPasswordChecked: (outcome) => metrics.appPasswordChecked(outcome),
    }),
    afterAnswer: (attempt, decision, facts) => {
      scripts.siteScripts.afterAnswer(attempt, decision);
      risk?.note(attempt, decision, facts);
      if (attempt.operation === "authenticate") history?.note(noteOf(attempt, decision, facts, systemClock.now()));
    },
    authWait: () => live.current.authWait,
    observe: ({ operation }, { outcome }, seconds) => {
      metrics.decided(operation, outcome, seconds);
      if (tracer !== undefined) tracer.active()?.set({ "postern.outcome": outcome });
    },
    onUndecided: ({ session, protocol, dialect }, err) =>
      logger[err.row.logLevel]({ session, protocol, dialect, ...logFields(err) }, "could not decide"),
  });
}

export function makeListAccounts(
  engineId: string,
  { logger, metrics, backends }: Pick<Parts, "logger" | "metrics" | "backends">,
): ListAccounts {
  return createListAccounts({
    backends: () => backends.current,
    engineId,
    observe: (outcome, seconds) => metrics.decided("list-accounts", outcome, seconds),
    onUndecided: ({ session, protocol }, err) =>
      logger[err.row.logLevel]({ session, protocol, ...logFields(err) }, "could not list accounts"),
  });
}

export function makeDescribeAccount(config: Config, backends: BackendSet): DescribeAccount {
  const releasable = createAttributeFilter(secretFields(config));
  return createDescribeAccount(() => backends.current, releasable, steadyClock);
}
