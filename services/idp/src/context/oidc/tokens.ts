import { createRevoker } from "@postern/shared/domain/tokens";
import { systemClock } from "@postern/shared/platform/time";
import { createDpopNonces, type DpopNonces } from "../../oidc/dpop/nonces.ts";
import { type CheckProof, createCheckProof } from "../../oidc/dpop/proof.ts";
import type { Generations } from "../../oidc/provider/generation.ts";
import { oidcSignatures } from "../../oidc/settings/oidc-settings.ts";
import { createResolveToken, type ResolveToken } from "../../oidc/tokens/resolve-token.ts";
import { createTokenRecords, type TokenRecords } from "../../oidc/tokens/token-records.ts";
import { createReportUnreadable, type ReportUnreadable } from "../../oidc/tokens/unreadable-claims.ts";
import type { AccountsFeature } from "./accounts.ts";
import type { GrantsFeature } from "./grants.ts";
import type { OidcParts } from "./parts.ts";
import type { StorageFeature } from "./storage.ts";

export interface TokensFeature {
  readonly records: TokenRecords;
  readonly reportUnreadable: ReportUnreadable;
}

/** Records of tokens, and their revocation. */
export function createTokensFeature(
  { redis, sharedClock: clock, keyPrefix, logger, initial }: OidcParts,
  { store, times, digestOf, keepGrant }: StorageFeature & GrantsFeature,
): TokensFeature {
  const revoker = createRevoker(redis, keyPrefix, clock);
  return {
    records: createTokenRecords({ store, revoker, issuer: initial.issuer, clock, times, digestOf, keepGrant }),
    reportUnreadable: createReportUnreadable(logger, clock),
  };
}

/** Resolves access tokens of every form. */
export function createTokenResolver(
  { sharedClock: clock }: OidcParts,
  { store, digestOf, accounts }: StorageFeature & AccountsFeature,
  generations: Generations,
): ResolveToken {
  const verificationKey = (kid: string) => generations.current().publicKeys.get(kid);
  return createResolveToken({ store, accounts, digestOf, clock, verificationKey });
}

/** Checks proofs of possession. The secret of the nonces changes only with a reload. */
export function createProofCheck({ settings, sharedClock }: OidcParts, { store }: StorageFeature): CheckProof {
  let known: { readonly secret: Buffer; readonly nonces: DpopNonces } | undefined;
  const nonces = (): DpopNonces | undefined => {
    const { nonceSecret: secret } = settings();
    if (secret === undefined) return undefined;
    if (known?.secret !== secret) known = { secret, nonces: createDpopNonces(secret, sharedClock) };
    return known.nonces;
  };
  return createCheckProof(store, oidcSignatures, systemClock, nonces);
}
