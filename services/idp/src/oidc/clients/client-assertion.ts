import { hash } from "node:crypto";
import { pathTo } from "@postern/shared/contracts";
import { systemClock } from "@postern/shared/platform/time";
import { decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { acceptsSignature } from "../settings/client-profile.ts";
import type { OidcStore } from "../storage/store-redis.ts";
import { type VerifyWithKeys, verifyClientJwt } from "./client-key-sets.ts";
import type { WantedKey } from "./client-keys.ts";
import type { Authenticated, ClientPolicy, FindPolicy, KeySetsOf } from "./clients.ts";

/** Longest lifetime of an assertion (behaviour reference §2.8), including clock skew. */
const longestAssertionSeconds = 330;
const skewSeconds = 30;

/** Why an assertion is refused, for the log. */
export type AssertionRefusal =
  | "not_an_assertion"
  | "unknown_client"
  | "wrong_algorithm"
  | "no_key"
  | "wrong_signature_or_claims"
  | "lives_too_long"
  | "used_before";

function claimedBy(assertion: string): (WantedKey & { readonly sub: string }) | undefined {
  try {
    const { alg = "", kid, typ = "" } = decodeProtectedHeader(assertion);
    // A request object is not a proof of identity (RFC 9101 §10.8).
    if (/oauth-authz-req\+jwt$/i.test(typ)) return undefined;
    const { sub = "" } = decodeJwt(assertion);
    return { alg, kid, sub };
  } catch {
    return undefined;
  }
}

function createVerify(assertion: string, path: string, policy: ClientPolicy, issuer: string): VerifyWithKeys {
  const isStrict = policy.config.client_assertion_audience === "issuer";
  return async (keys) => {
    for (const { key, algorithms } of keys) {
      const verified = await jwtVerify(assertion, key, {
        algorithms: [...algorithms],
        issuer: policy.id,
        subject: policy.id,
        audience: isStrict ? issuer : [issuer, `${issuer}${path}`, `${issuer}${pathTo("token")}`],
        requiredClaims: ["exp", "jti"],
        clockTolerance: skewSeconds,
      }).catch(() => undefined);
      if (verified === undefined) continue;
      return isStrict && verified.payload.aud !== issuer ? undefined : verified.payload;
    }
    return undefined;
  };
}

/** Checks `private_key_jwt` (RFC 7523 §3) at a path. Rejects when keys cannot be read or a replay cannot be excluded. */
export function createAuthenticateAssertion(
  findPolicy: FindPolicy,
  keySetsOf: KeySetsOf,
  store: Pick<OidcStore, "unseen">,
  issuer: string,
) {
  return async (assertion: string, path: string): Promise<Authenticated<AssertionRefusal>> => {
    const claimed = claimedBy(assertion);
    const refused = (reason: AssertionRefusal) => ({ outcome: "refused", reason, client: claimed?.sub }) as const;
    if (claimed === undefined) return refused("not_an_assertion");
    const policy = await findPolicy(claimed.sub);
    if (policy === undefined || !policy.signsAssertions) return refused("unknown_client");
    if (!acceptsSignature(policy.config, claimed.alg)) return refused("wrong_algorithm");
    const verify = createVerify(assertion, path, policy, issuer);
    const verified = await verifyClientJwt(verify, claimed, policy, keySetsOf(policy));
    if (typeof verified === "string") return refused(verified);
    const { exp = 0, jti = "" } = verified;
    const leftSeconds = exp - Math.floor(systemClock.now() / 1000);
    if (leftSeconds > longestAssertionSeconds) return refused("lives_too_long");
    // Earlier versions use this identifier too: an assertion is accepted once even while both versions run.
    const id = hash("sha256", `${policy.id}${jti}`, "base64url");
    const isFirst = await store.unseen(id, leftSeconds + skewSeconds);
    return isFirst ? { outcome: "client", policy } : refused("used_before");
  };
}

export type AuthenticateAssertion = ReturnType<typeof createAuthenticateAssertion>;
