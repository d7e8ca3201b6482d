import { randomUUID } from "node:crypto";
import type { KeyRing } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import type { Logger } from "@postern/shared/platform/logging";
import {
  defineScript,
  oidcSigningKeysKey,
  oidcSigningLeaseKey,
  type RedisClient,
} from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { createReplaceIfSame } from "../../redis/replace-if-same.ts";
import releaseLeaseLua from "./scripts/release-lease.lua?raw";
import {
  createSigningKey,
  isFull,
  type KeyKind,
  kindsToMake,
  kindsToRotate,
  parseSigningKeys,
  type RotationRules,
  type SigningKey,
  withoutRetired,
} from "./signing-keys.ts";

const releaseLease = { name: "releaseLease", lua: releaseLeaseLua, keys: ["leaseKey"], args: ["holder"] } as const;

interface StoreParts {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  readonly sharedClock: Clock;
  readonly logger: Logger;
}

/** A write is lost only to another write, after which the keys are read again. */
const maxWrites = 5;

interface Read {
  readonly stored: string;
  readonly keys: readonly SigningKey[];
}

function createKeySetRecord(parts: StoreParts, rules: () => RotationRules) {
  const { redis, keyPrefix, keys: ring, sharedClock: clock, logger } = parts;
  const key = oidcSigningKeysKey.build(keyPrefix);
  const replace = createReplaceIfSame(redis);
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
  /** Undefined if another replica has written since the keys were read. */
  const add = async ({ stored, keys }: Read, kinds: readonly KeyKind[]) => {
    const now = clock.now();
    const created = await Promise.all(kinds.map((kind) => createSigningKey(kind, now)));
    const next = [...withoutRetired([...keys, ...created], rules(), now)];
    const sealed = ring.seal(JSON.stringify(next), key).toString("base64");
    const isOurs = await replace(key, { expected: stored, value: sealed, ttlSeconds: oidcSigningKeysKey.ttlSeconds });
    if (!isOurs) return undefined;
    const kids = created.map(({ kid }) => kid);
    if (kids.length > 0) logger.info({ kids }, "signing keys created");
    return { kids, keys: next };
  };
  return { key, read, add };
}

/** The generated signing keys that all replicas share. */
export function createSigningKeyStore(parts: StoreParts, rules: () => RotationRules) {
  const { redis, keyPrefix, sharedClock: clock } = parts;
  const { key, read, add } = createKeySetRecord(parts, rules);
  const lease = oidcSigningLeaseKey.build(keyPrefix);
  const holder = randomUUID();
  const release = defineScript(redis, releaseLease);
  const renew = async (): Promise<readonly SigningKey[]> => {
    const known = await read();
    const written = await add(known, kindsToMake(known.keys, rules(), clock.now()));
    return written?.keys ?? (await read()).keys;
  };
  const isDue = (keys: readonly SigningKey[]): boolean => {
    const now = clock.now();
    return kindsToMake(keys, rules(), now).length > 0 || withoutRetired(keys, rules(), now).length < keys.length;
  };
  return {
    /**
     * Creates a successor of each kind of key that has none waiting to sign. Two replicas create only one.
     *
     * @returns the `kid` of the new keys; "too_many" while the limit of keys of one kind is reached
     */
    rotate: async (): Promise<readonly string[] | "too_many"> => {
      for (let write = 0; write < maxWrites; write += 1) {
        const known = await read();
        const kinds = kindsToRotate(known.keys, rules(), clock.now());
        if (kinds.length === 0) return [];
        if (isFull(known.keys)) return "too_many";
        const written = await add(known, kinds);
        if (written !== undefined) return written.kids;
      }
      throw new AppError("REDIS_UNAVAILABLE", { detail: "the signing keys changed while they were rotated" });
    },
    /**
     * The current keys; creates those that are missing or due, one replica at a time. Empty while another replica creates
     * the first ones. Rejects when Redis does not respond.
     */
    current: async (): Promise<readonly SigningKey[]> => {
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

export type SigningKeyStore = ReturnType<typeof createSigningKeyStore>;
