import { hash, type KeyObject } from "node:crypto";
import { opaqueToken } from "@postern/shared/domain/tokens";
import { createHotCache } from "@postern/shared/platform/cache";
import { readTokenHeader } from "@postern/shared/platform/crypto";
import type { ClientCertificate } from "@postern/shared/platform/http";
import type { Clock } from "@postern/shared/platform/time";
import { compactVerify } from "jose";
import type { AdapterPayload } from "oidc-provider";
import type { AccountDomains } from "../../domains/account-domains.ts";
import type { OidcAccount, OidcAccounts } from "../accounts/accounts-redis.ts";
import { oidcSignatures } from "../settings/client-profile.ts";
import { digestOfId, isRecord, textOf } from "../storage/models.ts";
import type { OidcStore } from "../storage/store-redis.ts";

/** What an access token of any form represents. */
export interface ResolvedToken {
  /** SHA-256 of the identifier: the `id` of the session list. */
  readonly digest: string;
  readonly payload: AdapterPayload;
  readonly clientId: string;
  /** Undefined for a client that acts for itself. */
  readonly account: OidcAccount | undefined;
  /** Bound to a key: not a bearer token. */
  readonly isBound: boolean;
  /** The claims requested by name that the user's grant contains. */
  readonly grantedClaims: ReadonlySet<string>;
}

/** Whether sessions and tokens of an account count, and its domain may use the client. */
export type MayUse = (account: string, clientId: string) => Promise<boolean>;

const maxTokenLength = 8192;
const maxVerified = 20_000;

/** @param verificationKey the key with this kid; undefined if the key set does not contain it */
function createVerify(verificationKey: (kid: string) => KeyObject | undefined) {
  const verified = createHotCache<{ readonly jti: string }>(maxVerified);
  return async (token: string) => {
    const header = readTokenHeader(token);
    const isToken = header?.typ === "at+jwt" || header?.typ === "jwt";
    // An ID token has no record under its identifier.
    const key = isToken && header.kid !== undefined ? verificationKey(header.kid) : undefined;
    if (key === undefined) return undefined;
    const cacheKey = hash("sha256", token, "base64url");
    const known = verified.get(cacheKey);
    if (known !== undefined) return known;
    const result = await compactVerify(token, key, { algorithms: [...oidcSignatures] }).catch(() => undefined);
    if (result === undefined) return undefined;
    const claims: unknown = JSON.parse(Buffer.from(result.payload).toString("utf8"));
    if (!isRecord(claims)) return undefined;
    const jti = textOf(claims["jti"]);
    if (jti === undefined || typeof claims["exp"] !== "number") return undefined;
    const facts = { jti };
    verified.set(cacheKey, facts);
    return facts;
  };
}

function claimsIn(part: unknown): readonly unknown[] {
  const openid: unknown = isRecord(part) ? part["openid"] : undefined;
  const claims: unknown = isRecord(openid) ? openid["claims"] : undefined;
  return Array.isArray(claims) ? claims : [];
}

/** A grant keeps the claims that the user has agreed to and those that the user has declined. */
function grantedClaims(grant: AdapterPayload): ReadonlySet<string> {
  const rejected = new Set(claimsIn(grant["rejected"]));
  return new Set(
    claimsIn(grant).flatMap((claim) => (typeof claim === "string" && !rejected.has(claim) ? [claim] : [])),
  );
}

/**
 * Resolves any access token; undefined if it is unknown, expired or revoked, or its account may not use its client. A signed token is valid only while its record
 * exists, and every user's token only while its grant exists. Rejects when the store is unavailable.
 */
export function createResolveToken(
  store: OidcStore,
  accounts: OidcAccounts,
  {
    sharedClock: clock,
    mayUse,
    domains,
  }: { readonly sharedClock: Clock; readonly mayUse: MayUse; readonly domains: AccountDomains },
  verificationKey: (kid: string) => KeyObject | undefined,
) {
  const verify = createVerify(verificationKey);
  const identifierOf = async (token: string): Promise<string | undefined> => {
    if (token.length > maxTokenLength) return undefined;
    if (token.includes(".")) return (await verify(token))?.jti;
    return opaqueToken.test(token) ? token : undefined;
  };
  const accountOf = async (accountId: string, clientId: string): Promise<OidcAccount | undefined> => {
    const found = await accounts.find(accountId);
    return found !== undefined && (await mayUse(found.account, clientId)) ? domains.withAttributes(found) : undefined;
  };
  return async (token: string): Promise<ResolvedToken | undefined> => {
    const id = await identifierOf(token);
    if (id === undefined) return undefined;
    const digest = digestOfId(id);
    const payload = await store.find({ model: "AccessToken", digest });
    if (payload?.clientId === undefined || (payload.exp ?? 0) <= clock.now() / 1000) return undefined;
    // The identifier of a signed token is not itself a token.
    if ((payload["isJwt"] === true) !== token.includes(".")) return undefined;
    const { clientId, accountId, grantId } = payload;
    const isBound = payload.jkt !== undefined || payload["x5t#S256"] !== undefined;
    const facts = { digest, payload, clientId, isBound };
    if (accountId === undefined) return { ...facts, account: undefined, grantedClaims: new Set() };
    if (grantId === undefined) return undefined;
    const [grant, account] = await Promise.all([
      store.find({ model: "Grant", digest: digestOfId(grantId) }),
      accountOf(accountId, clientId),
    ]);
    if (grant === undefined || account === undefined) return undefined;
    return { ...facts, account, grantedClaims: grantedClaims(grant) };
  };
}

/** The thumbprint of the certificate that a token is bound to (RFC 8705 §3.1); undefined for other tokens. */
export function boundCertificate({ payload }: Pick<ResolvedToken, "payload">): string | undefined {
  return textOf(payload["x5t#S256"]);
}

/** Whether a token may be used as a bearer token on a connection with this certificate. A DPoP token never may. */
export function mayBear(token: ResolvedToken, certificate: ClientCertificate | undefined): boolean {
  if (!token.isBound) return true;
  const thumbprint = boundCertificate(token);
  if (thumbprint === undefined || token.payload.jkt !== undefined || certificate === undefined) return false;
  return hash("sha256", Buffer.from(certificate.der, "base64url"), "base64url") === thumbprint;
}
