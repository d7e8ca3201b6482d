import { randomUUID } from "node:crypto";
import type { KeyRing } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import {
  defineScript,
  oidcSigningKeysKey,
  oidcSigningLeaseKey,
  type RedisClient,
} from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { createReplaceIfSame } from "../../redis/replace-if-same.ts";
import { releaseLease } from "./scripts/scripts.generated.ts";
import {
  createSigningKey,
  kindsToMake,
  parseSigningKeys,
  type RotationRules,
  type SigningKey,
  type SigningKeyStore,
  withoutRetired,
} from "./signing-keys.ts";

export interface SigningKeyStoreDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly rules: () => RotationRules;
  /** Called after new keys were created. */
  readonly onCreated: (kids: readonly string[]) => void;
}

interface Read {
  readonly stored: string;
  readonly keys: readonly SigningKey[];
}

export function createSigningKeyStore(deps: SigningKeyStoreDeps): SigningKeyStore {
  const { redis, keyPrefix, keys: ring, clock, rules, onCreated } = deps;
  const key = oidcSigningKeysKey.build(keyPrefix);
  const lease = oidcSigningLeaseKey.build(keyPrefix);
  const holder = randomUUID();
  const replace = createReplaceIfSame(redis);
  const release = defineScript(redis, releaseLease);
  const read = async (): Promise<Read> => {
    const stored = (await redis.get(key)) ?? "";
    if (stored === "") return { stored, keys: [] };
    const opened = ring.open(Buffer.from(stored, "base64"), key);
    // If it overwrote them, every replica with the right secret would reject its own tokens.
    if (opened === undefined)
      throw new AppError("INTERNAL", {
        detail: "the signing keys cannot be decrypted: storage.redis.encryption_secret has changed",
      });
    return { stored, keys: parseSigningKeys(opened.toString("utf8")) };
  };
  const renew = async (): Promise<readonly SigningKey[]> => {
    const now = clock.now();
    const { stored, keys } = await read();
    const created = await Promise.all(kindsToMake(keys, rules(), now).map((kind) => createSigningKey(kind, now)));
    const next = [...withoutRetired([...keys, ...created], rules(), now)];
    const sealed = ring.seal(JSON.stringify(next), key).toString("base64");
    const isOurs = await replace(key, { expected: stored, value: sealed, ttlSeconds: oidcSigningKeysKey.ttlSeconds });
    if (!isOurs) return (await read()).keys;
    if (created.length > 0) onCreated(created.map(({ kid }) => kid));
    return next;
  };
  const isDue = (keys: readonly SigningKey[]): boolean => {
    const now = clock.now();
    return kindsToMake(keys, rules(), now).length > 0 || withoutRetired(keys, rules(), now).length < keys.length;
  };
  return {
    current: async () => {
      const { keys } = await read();
      if (!isDue(keys)) {
        await redis.expire(key, oidcSigningKeysKey.ttlSeconds);
        return keys;
      }
      const isMine = await redis.set(lease, holder, "EX", oidcSigningLeaseKey.ttlSeconds, "NX");
      if (isMine !== "OK") return keys;
      try {
        return await renew();
      } finally {
        await release({ leaseKey: lease }, { holder }).catch(() => undefined);
      }
    },
  };
}
