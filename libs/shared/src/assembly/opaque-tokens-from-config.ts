import {
  type AccessTokenRules,
  createOpaqueRecordReader,
  createOpaqueVerifier,
  type TokenVerifier,
} from "../domain/tokens/index.ts";
import type { Config } from "../platform/config/index.ts";
import { keyRingFromConfig } from "./key-ring-from-config.ts";
import { maxCachedTokens, stateUnreadable, type TokenParts } from "./token-parts.ts";

/** Absent if another identity provider issues the tokens, because their records are then not in our Redis. */
export function opaqueTokensFromConfig(
  config: Config,
  rules: AccessTokenRules,
  parts: TokenParts,
): TokenVerifier | undefined {
  const { identity, storage, auth } = config;
  const keys = keyRingFromConfig(config, "oidc");
  if (!identity.oidc.enabled || identity.oidc.issuer !== rules.issuer || keys === undefined) return undefined;
  return createOpaqueVerifier({
    rules,
    clock: parts.clock,
    read: createOpaqueRecordReader(parts.redis, storage.redis.prefix, keys),
    ttlMs: auth.backchannel.oidc_bearer.revocation_ttl,
    timeoutMs: storage.redis.read_timeout,
    maxEntries: maxCachedTokens,
    onError: stateUnreadable(parts.logger),
  });
}
