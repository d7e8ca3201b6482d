import { createSecretKey, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { createKeyedDigest, type KeyedDigest, type Secret } from "@postern/shared/platform/crypto";
import type { Attempt } from "../pipeline/attempt.ts";

export interface ContextSettings {
  /** Digest of all settings that influence a backend's answer; another digest is another name space. */
  readonly configuration: string;
  /** Whether a search uses the client's port, so that each connection has its own context. */
  readonly usesClientPort: boolean;
}

/**
 * Prefixed with its length, so that two different lists of fields never give the same text; absent differs from empty.
 */
function field(value: string | undefined): string {
  return value === undefined ? "-;" : `${value.length}:${value};`;
}

/**
 * Everything that the backends' answer may depend on, except the password: two requests share a cached result only if
 * this text is equal (ADR 0049). Backends do not read the rest (attempt counter, language, host names).
 */
export function securityContext(attempt: Attempt, { configuration, usesClientPort }: ContextSettings): string {
  return (
    field(configuration) +
    field(attempt.operation) +
    field(attempt.username) +
    field(attempt.protocol) +
    field(attempt.method) +
    field(attempt.oidcClientId) +
    field(attempt.clientIp) +
    field(usesClientPort ? attempt.clientPort : undefined) +
    field(attempt.localIp) +
    field(attempt.localPort) +
    (attempt.domain?.isKnown === true ? field(attempt.domain.backendsKey) : "") +
    (attempt.tls ? "tls" : "plain")
  );
}

/** HMAC-SHA-256 over the context, which encodes its own lengths, and the password. */
export type PasswordDigest = (context: string, password: Secret) => Buffer;

/** The key is the same in all engines with the same `nonce`; without one it is random for this process. */
export function createPasswordDigest(nonce: Secret | undefined): PasswordDigest {
  const material = nonce === undefined ? randomBytes(32) : nonce.reveal();
  const key = Buffer.from(hkdfSync("sha256", material, "postern", "cached password digest", 32));
  const digest: KeyedDigest = createKeyedDigest(createSecretKey(key));
  return (context, password) => Buffer.from(digest(`${context}\n${password.reveal()}`, "binary"), "binary");
}

export function sameDigest(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
