import type { Base } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { type CheckMailToken, createMailTokenCheck } from "../mail-tokens/check-mail-token.ts";
import type { EngineMetrics } from "../metrics.ts";
import type { EngineSettings } from "../settings.ts";
import { type MailTokens, mailTokensFromConfig } from "./mail-token-verifier.ts";

/** Verification of users' access tokens, with the resources that it keeps open. */
export interface MailTokenState {
  readonly check: CheckMailToken;
  readonly tokens: MailTokens;
}

interface Parts {
  readonly base: Base;
  readonly metrics: EngineMetrics;
  readonly redis: RedisClient | undefined;
}

export function createMailTokens(
  config: Config,
  { oauthBearer }: EngineSettings,
  { base, metrics, redis }: Parts,
): MailTokenState | undefined {
  if (!oauthBearer.enabled || redis === undefined) return undefined;
  const tokens = mailTokensFromConfig(config, { logger: base.logger, redis });
  const check = createMailTokenCheck(tokens.verifier, oauthBearer.ignoreCase, oauthBearer.limits, (outcome) =>
    metrics.mailTokenChecked(outcome),
  );
  return { check, tokens };
}
