import { logFields } from "@postern/shared/errors";
import type { Logger } from "@postern/shared/logging";
import type { DirectorySet } from "../directories/directory-set.ts";
import type { EngineMetrics } from "../metrics.ts";
import { type Authenticate, createAuthenticate } from "../rpc/authenticate.ts";
import { createListAccounts, type ListAccounts } from "../rpc/list-accounts.ts";
import type { LiveEngineSettings } from "../settings.ts";
import type { BruteForceState } from "./brute-force.ts";
import type { MailTokenState } from "./mail-tokens.ts";
import type { MfaArtefactParts } from "./mfa-artefacts.ts";
import type { ResultCacheParts } from "./result-cache.ts";
import type { DecisionRules } from "./rules.ts";
import type { EngineScripts } from "./scripts.ts";

interface Parts {
  readonly logger: Logger;
  readonly metrics: EngineMetrics;
  readonly live: { readonly current: LiveEngineSettings };
  readonly rules: { readonly current: DecisionRules };
  readonly directories: DirectorySet;
  readonly mailTokens: MailTokenState | undefined;
  readonly bruteForce: BruteForceState | undefined;
  readonly resultCache: ResultCacheParts;
  readonly scripts: EngineScripts;
  readonly artefacts: Pick<MfaArtefactParts, "appPasswordUses">;
}

export function makeAuthenticate(parts: Parts): Authenticate {
  const { logger, metrics, live, rules, directories, mailTokens, bruteForce, resultCache, scripts } = parts;
  return createAuthenticate({
    stepDeps: () => ({
      ...rules.current,
      directories: directories.current,
      checkMailToken: mailTokens?.check,
      resultCaches: resultCache.caches,
      bruteForce: bruteForce?.current,
      scripts: scripts.siteScripts,
      appPasswordUses: parts.artefacts.appPasswordUses,
      appPasswordChecked: (outcome) => metrics.appPasswordChecked(outcome),
    }),
    afterAnswer: (attempt, decision) => scripts.siteScripts.afterAnswer(attempt, decision),
    authWait: () => live.current.authWait,
    observe: ({ operation }, { outcome }, seconds) => metrics.decided(operation, outcome, seconds),
    onUndecided: ({ session }, err) => logger[err.row.logLevel]({ session, ...logFields(err) }, "could not decide"),
  });
}

export function makeListAccounts(
  instance: string,
  { logger, metrics, directories }: Pick<Parts, "logger" | "metrics" | "directories">,
): ListAccounts {
  return createListAccounts({
    directories: () => directories.current,
    instance,
    observe: (outcome, seconds) => metrics.decided("list-accounts", outcome, seconds),
    onUndecided: ({ session }, err) =>
      logger[err.row.logLevel]({ session, ...logFields(err) }, "could not list accounts"),
  });
}
