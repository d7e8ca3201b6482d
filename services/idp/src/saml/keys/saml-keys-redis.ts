import type { KeyRing } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import { defineScript, type RedisClient, samlSigningKeysKey } from "@postern/shared/redis";
import type { Clock } from "@postern/shared/time";
import { Type } from "typebox";
import { Value } from "typebox/value";
import {
  isKeyDue,
  type KeyRotation,
  type MadeKey,
  makeKey,
  type SamlKeys,
  usableKeys,
  withoutFormer,
} from "./saml-keys.ts";

/** KEYS: key set. ARGV: what was read, or "" for nothing; what replaces it; life. Of two writers the first wins. */
const replaceIfSame = `
local current = redis.call("GET", KEYS[1]) or ""
if current ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[2], "EX", ARGV[3])
return 1
`;

const MadeKeys = Type.Array(
  Type.Object({ key: Type.String(), certificate: Type.String(), createdAtMs: Type.Number() }),
);

export interface SamlKeyStoreDeps {
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly rotation: KeyRotation;
  /** Into the certificates. */
  readonly name: string;
  readonly onMade: () => void;
}

/** Sooner where keys are published for less: all replicas publish a key before one of them signs with it. */
const longestLookMs = 30_000;
const shortestLookMs = 1000;

/** The made keys, which all replicas share. @returns how to get them; rejects when Redis does not answer */
export function createSamlKeyStore(deps: SamlKeyStoreDeps): () => Promise<SamlKeys> {
  const { redis, prefix, keys: ring, clock, rotation, name, onMade } = deps;
  const key = samlSigningKeysKey.build(prefix);
  const lookMs = Math.min(longestLookMs, Math.max(shortestLookMs, rotation.publishMs / 4));
  const replace = defineScript(redis, { name: "samlReplaceKeys", lua: replaceIfSame, numberOfKeys: 1 });
  const opened = (stored: string): readonly MadeKey[] => {
    const plain = ring.open(Buffer.from(stored, "base64"), key);
    const value: unknown = plain === undefined ? undefined : JSON.parse(plain.toString("utf8"));
    // Overwriting would make every service provider refuse us.
    if (!Value.Check(MadeKeys, value)) {
      throw new AppError("INTERNAL", {
        detail: "the SAML signing keys do not open: storage.redis.encryption_secret has changed",
      });
    }
    return value;
  };
  const shared = async (): Promise<readonly MadeKey[]> => {
    const now = clock.now();
    const stored = (await redis.get(key)) ?? "";
    const known = stored === "" ? [] : opened(stored);
    const kept = withoutFormer(known, rotation, now);
    if (!isKeyDue(known, rotation, now) && kept.length === known.length) {
      await redis.expire(key, samlSigningKeysKey.ttlSeconds);
      return known;
    }
    const next = isKeyDue(known, rotation, now) ? [await makeKey(name, now), ...kept] : kept;
    const sealed = ring.seal(JSON.stringify(next), key).toString("base64");
    if ((await replace([key], [stored, sealed, samlSigningKeysKey.ttlSeconds])) === 1) {
      if (next.length > kept.length) onMade();
      return next;
    }
    return opened((await redis.get(key)) ?? "");
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
    // Redis away: what was known signs on.
    return known === undefined
      ? running
      : running.catch(() => known?.keys ?? Promise.reject(new AppError("REDIS_UNAVAILABLE")));
  };
}
