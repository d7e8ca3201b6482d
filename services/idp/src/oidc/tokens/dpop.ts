import { hash, hkdfSync } from "node:crypto";
import type { OidcClientConfig } from "@postern/shared/platform/config";
import type { Clock } from "@postern/shared/platform/time";
import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, errors, type JWTPayload, jwtVerify } from "jose";
import { acceptsSignature } from "../settings/client-profile.ts";
import type { OidcStore } from "../storage/store-redis.ts";

/** Whether the profile of the client excludes the algorithm of a proof. False for an unreadable proof, which verification rejects later. */
export function isExcludedProof(proof: unknown, config: OidcClientConfig): boolean {
  if (typeof proof !== "string") return false;
  try {
    return !acceptsSignature(config, decodeProtectedHeader(proof).alg ?? "");
  } catch {
    return false;
  }
}

const stepMs = 60_000;
/** Steps before and after the current one whose nonces are accepted. */
const tolerated = [-2, -1, 0, 1, 2] as const;

/** @param secret 32 bytes */
export function createDpopNonces(secret: Buffer, clock: Pick<Clock, "now">) {
  let known: { readonly step: number; readonly nonces: readonly string[] } | undefined;
  const nonceOf = (step: number): string => {
    const salt = Buffer.alloc(8);
    salt.writeBigInt64BE(BigInt(step));
    return Buffer.from(hkdfSync("sha256", secret, salt, "DPoP", 32)).toString("base64url");
  };
  const current = (): readonly string[] => {
    const step = Math.floor(clock.now() / stepMs);
    if (known?.step !== step) known = { step, nonces: tolerated.map((offset) => nonceOf(step + offset)) };
    return known.nonces;
  };
  return {
    next: (): string => current()[3] ?? "",
    // A nonce is public once it was sent, so comparing it need not take constant time.
    accepts: (nonce: string): boolean => current().includes(nonce),
  };
}

/**
 * Nonces for DPoP proofs (RFC 9449 §8). All replicas derive the same ones from a common secret, so none is stored. They are
 * derived like those of the protocol core, so that a nonce of the token endpoint is also accepted at userinfo.
 */
export type DpopNonces = ReturnType<typeof createDpopNonces>;

/** Seconds by which the time of a proof may differ from ours. */
const longestSkew = 300;
const longestProof = 4096;

export interface ProvenRequest {
  readonly method: string;
  /** Without query and fragment. */
  readonly url: string;
  readonly accessToken: string;
  /** The thumbprint of the key to which the token is bound (`cnf.jkt`). */
  readonly thumbprint: string;
}

/** Why a proof is refused, for the client (RFC 9449 §7.1). */
export type ProofRefusal =
  | { readonly error: "invalid_dpop_proof" | "invalid_token"; readonly description: string }
  | { readonly error: "use_dpop_nonce"; readonly description: string; readonly nonce: string };

const refused = (description: string): ProofRefusal => ({ error: "invalid_dpop_proof", description });

function isFor(htu: unknown, url: string): boolean {
  const named = typeof htu === "string" ? URL.parse(htu) : null;
  if (named === null) return false;
  named.hash = "";
  named.search = "";
  return named.href === new URL(url).href;
}

/** What the proof says that does not fit the request. */
function misfit(payload: JWTPayload, request: ProvenRequest): string | undefined {
  if (typeof payload.jti !== "string" || payload.jti === "") return "the DPoP proof has no jti";
  if (typeof payload.iat !== "number") return "the DPoP proof has no iat";
  if (payload["htm"] !== request.method) return "the DPoP proof is for another method";
  if (!isFor(payload["htu"], request.url)) return "the DPoP proof is for another URL";
  return payload["ath"] === hash("sha256", request.accessToken, "base64url")
    ? undefined
    : "the DPoP proof is for another access token";
}

/** The nonce replaces the time of the proof, which a client with a wrong clock cannot know. */
function untimely(payload: JWTPayload, nonces: DpopNonces | undefined, nowSeconds: number): ProofRefusal | undefined {
  if (nonces === undefined) {
    const isRecent = Math.abs(nowSeconds - (payload.iat ?? 0)) <= longestSkew;
    return isRecent ? undefined : refused("the DPoP proof is not recent");
  }
  const { nonce } = payload;
  if (typeof nonce === "string" && nonces.accepts(nonce)) return undefined;
  const description = nonce === undefined ? "the DPoP proof needs a nonce" : "the nonce of the DPoP proof is not valid";
  return { error: "use_dpop_nonce", description, nonce: nonces.next() };
}

/**
 * Checks a proof of possession for an access token (RFC 9449 §4.3, §7.1). Each proof is accepted once, by whichever replica. Undefined if it
 * is accepted; rejects if a replay cannot be excluded.
 *
 * @param nonces undefined if proofs need no nonce.
 */
export function createCheckProof(
  store: Pick<OidcStore, "unseen">,
  algorithms: readonly string[],
  clock: Pick<Clock, "now">,
  nonces: () => DpopNonces | undefined,
) {
  const verified = async (proof: string) => {
    try {
      const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
        algorithms: [...algorithms],
        typ: "dpop+jwt",
        currentDate: new Date(clock.now()),
      });
      return { payload, thumbprint: await calculateJwkThumbprint(Object(protectedHeader.jwk)) };
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException)
        return undefined;
      throw error;
    }
  };
  return async (proof: string | undefined, request: ProvenRequest): Promise<ProofRefusal | undefined> => {
    if (proof === undefined || proof === "") return refused("the DPoP proof is missing");
    const result = proof.length > longestProof ? undefined : await verified(proof);
    if (result === undefined) return refused("the DPoP proof is not a JWT signed with the public key in its header");
    const { payload, thumbprint } = result;
    const wrong = misfit(payload, request);
    if (wrong !== undefined) return refused(wrong);
    const late = untimely(payload, nonces(), Math.floor(clock.now() / 1000));
    if (late !== undefined) return late;
    if (thumbprint !== request.thumbprint)
      return { error: "invalid_token", description: "the access token is bound to another key" };
    const id = hash("sha256", `dpop ${thumbprint} ${String(payload.jti)}`, "base64url");
    // The record lives as long as a proof may be early and late.
    return (await store.unseen(id, 2 * longestSkew)) ? undefined : refused("the DPoP proof was used before");
  };
}
