import { hash } from "node:crypto";
import { pathTo } from "@postern/shared/contracts";
import type { Clock } from "@postern/shared/platform/time";
import { decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify } from "jose";
import type { OidcStore } from "../storage/store.ts";
import type { ClientKeySets, WantedKey } from "./client-key-sets.ts";
import { type ClientKey, fittingKeys } from "./client-keys.ts";
import type { ClientPolicies, ClientPolicy } from "./clients.ts";

/** Longest lifetime of an assertion (behaviour reference §2.8), including clock skew. */
const longestAssertionSeconds = 330;
const skewSeconds = 30;

export interface AssertionDeps {
  readonly policies: () => ClientPolicies;
  readonly keySets: ClientKeySets;
  readonly store: Pick<OidcStore, "unseen">;
  readonly issuer: string;
  readonly clock: Clock;
}

/** Why an assertion is refused, for the log. */
export type AssertionRefusal =
  | "not_an_assertion"
  | "unknown_client"
  | "no_key"
  | "wrong_signature_or_claims"
  | "lives_too_long"
  | "used_before";

export type AssertionOutcome =
  | { readonly outcome: "client"; readonly policy: ClientPolicy }
  | { readonly outcome: "refused"; readonly reason: AssertionRefusal; readonly client: string | undefined };

interface Claimed extends WantedKey {
  readonly sub: string;
}

function claimedBy(assertion: string): Claimed | undefined {
  try {
    const { alg = "", kid } = decodeProtectedHeader(assertion);
    const { sub = "" } = decodeJwt(assertion);
    return { alg, kid, sub };
  } catch {
    return undefined;
  }
}

type Verify = (keys: readonly ClientKey[]) => Promise<JWTPayload | undefined>;

function createVerify(assertion: string, path: string, policy: ClientPolicy, deps: AssertionDeps): Verify {
  const { issuer, clock } = deps;
  return async (keys) => {
    for (const { key, algorithms } of keys) {
      const verified = await jwtVerify(assertion, key, {
        algorithms: [...algorithms],
        issuer: policy.id,
        subject: policy.id,
        audience: [issuer, `${issuer}${path}`, `${issuer}${pathTo("token")}`],
        requiredClaims: ["exp", "jti"],
        clockTolerance: skewSeconds,
        currentDate: new Date(clock.now()),
      }).catch(() => undefined);
      if (verified !== undefined) return verified.payload;
    }
    return undefined;
  };
}

type Verification = JWTPayload | "no_key" | "wrong_signature_or_claims";

/** Tries the configured keys, then the published ones; without a matching `kid`, also newly fetched ones. */
async function verifiedBy(
  verify: Verify,
  wanted: WantedKey,
  policy: ClientPolicy,
  keySets: ClientKeySets,
): Promise<Verification> {
  const own = fittingKeys(policy.assertionKeys, wanted);
  const byOwn = await verify(own);
  const { jwks_uri: uri } = policy.config;
  if (byOwn !== undefined || uri === "") return byOwn ?? (own.length === 0 ? "no_key" : "wrong_signature_or_claims");
  const published = await keySets.find(uri, wanted);
  const known = await verify(published);
  if (known !== undefined) return known;
  if (published.length === 0) return "no_key";
  if (published.some(({ kid }) => kid !== undefined && kid === wanted.kid)) return "wrong_signature_or_claims";
  const newer = (await keySets.findAnew(uri, wanted)).filter((key) => !published.includes(key));
  return (await verify(newer)) ?? "wrong_signature_or_claims";
}

/** Checks `private_key_jwt` (RFC 7523 §3) at this path. Rejects when keys cannot be read or a replay cannot be excluded. */
export type AuthenticateAssertion = (assertion: string, path: string) => Promise<AssertionOutcome>;

export function createAuthenticateAssertion(deps: AssertionDeps): AuthenticateAssertion {
  const { policies, keySets, store, clock } = deps;
  return async (assertion, path) => {
    const claimed = claimedBy(assertion);
    const refused = (reason: AssertionRefusal): AssertionOutcome => ({
      outcome: "refused",
      reason,
      client: claimed?.sub,
    });
    if (claimed === undefined) return refused("not_an_assertion");
    const policy = policies().get(claimed.sub);
    if (policy === undefined || !policy.signsAssertions) return refused("unknown_client");
    const verified = await verifiedBy(createVerify(assertion, path, policy, deps), claimed, policy, keySets);
    if (typeof verified === "string") return refused(verified);
    const { exp = 0, jti = "" } = verified;
    const leftSeconds = exp - Math.floor(clock.now() / 1000);
    if (leftSeconds > longestAssertionSeconds) return refused("lives_too_long");
    // The same identifier as in earlier versions: an assertion is accepted once even while both versions run.
    const id = hash("sha256", `${policy.id}${jti}`, "base64url");
    const isFirst = await store.unseen(id, leftSeconds + skewSeconds);
    return isFirst ? { outcome: "client", policy } : refused("used_before");
  };
}
