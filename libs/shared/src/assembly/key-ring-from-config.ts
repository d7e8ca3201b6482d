import type { Config } from "../platform/config/index.ts";
import { createKeyRing, type KeyRing } from "../platform/crypto/key-ring.ts";
import { Secret } from "../platform/crypto/secret.ts";

/**
 * The key ring of `storage.redis.encryption_secret` and `encryption_secrets_old` for one purpose. Undefined if no secret is configured: a
 * component that needs encryption at rest then stores nothing, or refuses to start.
 */
export function keyRingFromConfig({ storage }: Config, purpose: string): KeyRing | undefined {
  const { encryption_secret: current, encryption_secrets_old: old } = storage.redis;
  if (current === "") return undefined;
  return createKeyRing(
    [current, ...old.map(({ secret }) => secret)].map((text) => new Secret(text)),
    purpose,
  );
}
