import { AppError } from "@postern/shared/platform/errors";
import { samlSigningKeysKey } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { Type } from "typebox";
import { createReplaceIfSame } from "../../redis/replace-if-same.ts";
import { opened, type SamlRedisDeps, sealed } from "../state/saml-redis.ts";
import {
  type GeneratedKey,
  isKeyDue,
  type KeyRotation,
  makeKey,
  type SamlKeys,
  usableKeys,
  withoutFormer,
} from "./saml-keys.ts";

const StoredKeys = Type.Array(
  Type.Object({ key: Type.String(), certificate: Type.String(), createdAtMs: Type.Number() }),
);

interface SamlKeyStoreDeps extends SamlRedisDeps {
  readonly clock: Clock;
  readonly rotation: KeyRotation;
  readonly name: string;
  readonly onCreated: () => void;
}

/** Time between reads. Shorter if keys are published for less, so that all replicas publish a key before one signs with it. */
const longestLookMs = 30_000;
const shortestLookMs = 1000;

/** The generated keys, which all replicas share. @returns a function that reads them; it rejects if Redis is unavailable */
export function createSamlKeyStore(deps: SamlKeyStoreDeps): () => Promise<SamlKeys> {
  const { redis, keyPrefix, keys: ring, clock, rotation, name, onCreated } = deps;
  const key = samlSigningKeysKey.build(keyPrefix);
  const lookMs = Math.min(longestLookMs, Math.max(shortestLookMs, rotation.publishMs / 4));
  const replace = createReplaceIfSame(redis);
  const open = (stored: string): readonly GeneratedKey[] => {
    const value = opened(ring, StoredKeys, { stored, key });
    // If it overwrote them, every service provider would reject Postern's messages.
    if (value === undefined) {
      throw new AppError("INTERNAL", {
        detail: "the SAML signing keys cannot be decrypted: storage.redis.encryption_secret has changed",
      });
    }
    return value;
  };
  const shared = async (): Promise<readonly GeneratedKey[]> => {
    const now = clock.now();
    const stored = (await redis.get(key)) ?? "";
    const known = stored === "" ? [] : open(stored);
    const kept = withoutFormer(known, rotation, now);
    if (!isKeyDue(known, rotation, now) && kept.length === known.length) {
      await redis.expire(key, samlSigningKeysKey.ttlSeconds);
      return known;
    }
    const next = isKeyDue(known, rotation, now) ? [await makeKey(name, now), ...kept] : kept;
    const value = sealed(ring, next, key);
    if (await replace(key, { expected: stored, value, ttlSeconds: samlSigningKeysKey.ttlSeconds })) {
      if (next.length > kept.length) onCreated();
      return next;
    }
    return open((await redis.get(key)) ?? "");
  };
  let known: { readonly keys: SamlKeys; readonly untilMs: number } | undefined;
  let running: Promise<SamlKeys> | undefined;
  const look = async (): Promise<SamlKeys> => {
    const keys = usableKeys(await shared(), rotation, clock.now());
    known = { keys, untilMs: clock.now() + lookMs };
    return keys;
  };
  return async () => {
    if (known !== undefined && clock.now() < known.untilMs) return known.keys;
    running ??= look().finally(() => {
      running = undefined;
    });
    // While Redis is unavailable, the keys that were read before remain in use.
    return known === undefined
      ? running
      : running.catch(() => known?.keys ?? Promise.reject(new AppError("REDIS_UNAVAILABLE")));
  };
}
