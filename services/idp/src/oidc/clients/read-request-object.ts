import type { Clock } from "@postern/shared/platform/time";
import { decodeProtectedHeader, type JWTPayload, jwtVerify, UnsecuredJWT } from "jose";
import { membersOf, type RequestObjectRefusal } from "../request-objects/hand-over.ts";
import type { ReadRequestObject, RequestObjectOutcome } from "../request-objects/unpack-request.ts";
import { acceptsSignature } from "../settings/client-profile.ts";
import { type VerifyWithKeys, verifyClientJwt } from "./client-key-sets.ts";
import type { WantedKey } from "./client-keys.ts";
import type { ClientPolicy, FindPolicy, KeySetsOf } from "./clients.ts";

const longestObject = 32_768;
const skewSeconds = 30;
/** Longest time from `nbf` to `exp`, and from `nbf` to now (FAPI 2.0 Message Signing §5.3.1). */
const longestLifeSeconds = 3600;
const types: ReadonlySet<string> = new Set(["jwt", "oauth-authz-req+jwt", "application/oauth-authz-req+jwt"]);

const refused = (reason: RequestObjectRefusal): RequestObjectOutcome => ({ outcome: "refused", reason });

function headerOf(object: string): WantedKey | undefined {
  if (object.length > longestObject) return undefined;
  try {
    const { alg = "", kid, typ = "jwt" } = decodeProtectedHeader(object);
    return types.has(typ.toLowerCase()) ? { alg, kid } : undefined;
  } catch {
    return undefined;
  }
}

type ClaimRules = ReturnType<typeof claimRules>;

/** `iss` and `aud` are checked where they are present, and required where the client must sign (RFC 9101 §4). */
function claimRules(object: JWTPayload, { id, config }: ClientPolicy, issuer: string, clock: Clock) {
  const isStrict = config.require_signed_request_object;
  return {
    ...(object.iss !== undefined && { issuer: id }),
    ...((isStrict || object.aud !== undefined) && { audience: issuer }),
    requiredClaims: isStrict ? ["exp", "nbf"] : [],
    clockTolerance: skewSeconds,
    currentDate: new Date(clock.now()),
  };
}

function readUnsigned(object: string, rules: ClaimRules): RequestObjectOutcome {
  try {
    return { outcome: "unsigned", claims: UnsecuredJWT.decode(object, rules).payload };
  } catch {
    return refused("wrong_signature_or_claims");
  }
}

function createVerify(object: string, alg: string, rules: ClaimRules): VerifyWithKeys {
  return async (keys) => {
    for (const { key } of keys) {
      // Keys were chosen by algorithm: `alg` is one that the key allows.
      const verified = await jwtVerify(object, key, { ...rules, algorithms: [alg] }).catch(() => undefined);
      if (verified !== undefined) return verified.payload;
    }
    return undefined;
  };
}

function lifetimeFits({ nbf = 0, exp = 0 }: JWTPayload, nowSeconds: number): boolean {
  return exp - nbf <= longestLifeSeconds && nowSeconds - nbf <= longestLifeSeconds + skewSeconds;
}

/** What RFC 9101 §6.3 and OpenID Connect Core §6.1 demand of the members, beyond signature and times. */
function faultOf(claims: JWTPayload, policy: ClientPolicy, nowSeconds: number): RequestObjectRefusal | undefined {
  if (claims["request"] !== undefined || claims["request_uri"] !== undefined) return "nested";
  if (claims["client_id"] !== policy.id) return "wrong_client";
  // Otherwise it could be used as a client assertion (RFC 9101 §10.8).
  if (claims.sub === policy.id) return "wrong_client";
  const isStrict = policy.config.require_signed_request_object;
  return isStrict && !lifetimeFits(claims, nowSeconds) ? "wrong_lifetime" : undefined;
}

function mayUse({ config, keys }: ClientPolicy): boolean {
  return ["none", "any"].includes(config.request_object_signing_alg) || keys.length > 0 || config.jwks_uri !== "";
}

function algorithmFits(alg: string, { config }: ClientPolicy): boolean {
  const { request_object_signing_alg: registered } = config;
  if (!acceptsSignature(config, alg)) return false;
  if (registered === "any") return true;
  return registered === "" ? alg !== "none" : alg === registered;
}

export function createReadRequestObject(
  findPolicy: FindPolicy,
  keySetsOf: KeySetsOf,
  issuer: string,
  clock: Clock,
): ReadRequestObject {
  const verified = async (object: string, wanted: WantedKey, policy: ClientPolicy): Promise<RequestObjectOutcome> => {
    const unverified = membersOf(object);
    if (unverified === undefined) return refused("not_a_request_object");
    const rules = claimRules(unverified, policy, issuer, clock);
    if (wanted.alg === "none") return readUnsigned(object, rules);
    const claims = await verifyClientJwt(createVerify(object, wanted.alg, rules), wanted, policy, keySetsOf(policy));
    return typeof claims === "string" ? refused(claims) : { outcome: "signed", claims };
  };
  return async (object, clientId) => {
    const policy = await findPolicy(clientId);
    if (policy === undefined || !mayUse(policy)) return refused("not_enabled");
    const header = headerOf(object);
    if (header === undefined) return refused("not_a_request_object");
    if (!algorithmFits(header.alg, policy)) return refused("wrong_algorithm");
    const read = await verified(object, header, policy);
    const fault = read.outcome === "refused" ? undefined : faultOf(read.claims, policy, Math.floor(clock.now() / 1000));
    return fault === undefined ? read : refused(fault);
  };
}
