import type { Config } from "../config/index.ts";
import { createKeyRing, type KeyRing } from "../crypto/key-ring.ts";
import { Secret } from "../crypto/secret.ts";

/**
 * The keys of `storage.redis.encryption_secret` and `encryption_secrets_old`, for one purpose. Undefined while no
 * secret is configured: what needs encryption at rest then does without keeping anything, or refuses to start.
 */
export function keyRingFromConfig({ storage }: Config, purpose: string): KeyRing | undefined {
  const { encryption_secret: current, encryption_secrets_old: old } = storage.redis;
  if (current === "") return undefined;
  return createKeyRing(
    [current, ...old.map(({ secret }) => secret)].map((text) => new Secret(text)),
    purpose,
  );
}
