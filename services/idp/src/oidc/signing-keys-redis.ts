import { randomUUID } from "node:crypto";
import type { KeyRing } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import { defineScript, oidcSigningKeysKey, oidcSigningLeaseKey, type RedisClient } from "@postern/shared/redis";
import type { Clock } from "@postern/shared/time";
import {
  createSigningKey,
  kindsToMake,
  parseSigningKeys,
  type RotationRules,
  type SigningKey,
  type SigningKeyStore,
  withoutRetired,
} from "./signing-keys.ts";

/** KEYS: key set. ARGV: what was read, or "" for nothing; what replaces it; life. A late writer replaces nothing. */
const replaceIfSame = `
local current = redis.call("GET", KEYS[1]) or ""
if current ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[2], "EX", ARGV[3])
return 1
`;

/** KEYS: lease. ARGV: holder. Nobody gives back another's lease. */
const giveBack = `
if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end
return 0
`;

export interface SigningKeyStoreDeps {
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly rules: () => RotationRules;
  /** Told of keys that were made. */
  readonly onMade: (kids: readonly string[]) => void;
}

interface Read {
  readonly stored: string;
  readonly keys: readonly SigningKey[];
}

export function createSigningKeyStore(deps: SigningKeyStoreDeps): SigningKeyStore {
  const { redis, prefix, keys: ring, clock, rules, onMade } = deps;
  const key = oidcSigningKeysKey.build(prefix);
  const lease = oidcSigningLeaseKey.build(prefix);
  const holder = randomUUID();
  const replace = defineScript(redis, { name: "oidcReplaceKeys", lua: replaceIfSame, numberOfKeys: 1 });
  const release = defineScript(redis, { name: "oidcReleaseLease", lua: giveBack, numberOfKeys: 1 });
  const read = async (): Promise<Read> => {
    const stored = (await redis.get(key)) ?? "";
    if (stored === "") return { stored, keys: [] };
    const opened = ring.open(Buffer.from(stored, "base64"), key);
    // Overwriting would make every replica with the right secret refuse its own tokens.
    if (opened === undefined)
      throw new AppError("INTERNAL", {
        detail: "the signing keys do not open: storage.redis.encryption_secret has changed",
      });
    return { stored, keys: parseSigningKeys(opened.toString("utf8")) };
  };
  const renew = async (): Promise<readonly SigningKey[]> => {
    const now = clock.now();
    const { stored, keys } = await read();
    const made = await Promise.all(kindsToMake(keys, rules(), now).map((kind) => createSigningKey(kind, now)));
    const next = [...withoutRetired([...keys, ...made], rules(), now)];
    const sealed = ring.seal(JSON.stringify(next), key).toString("base64");
    const isOurs = (await replace([key], [stored, sealed, oidcSigningKeysKey.ttlSeconds])) === 1;
    if (!isOurs) return (await read()).keys;
    if (made.length > 0) onMade(made.map(({ kid }) => kid));
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
        await release([lease], [holder]).catch(() => undefined);
      }
    },
  };
}
