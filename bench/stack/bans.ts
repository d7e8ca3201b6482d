import { createBanIndex, type SourceParts, sourceOf } from "@postern/shared/domain/brute-force";
import { createRedisClient, type RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";

const banMs = 3_600_000;
const batch = 2000;

/** The nth banned address, below 16 million. */
export function bannedAddress(index: number): string {
  return `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
}

/** A client of the bench. */
export async function connect(port: number): Promise<RedisClient> {
  const client = createRedisClient(
    {
      topology: { kind: "standalone", address: { host: "127.0.0.1", port } },
      database: 0,
      username: undefined,
      password: undefined,
      tls: undefined,
      connectTimeoutMs: 1000,
      commandTimeoutMs: 30_000,
      maxRetries: 1,
      connectionName: "bench",
    },
    () => undefined,
  );
  await poll("Redis", () => client.status === "ready");
  return client;
}

/** Writes the given number of bans by the last rule and adds them to the index, like an engine. */
export async function writeBans(port: number, count: number, parts: SourceParts): Promise<void> {
  const redis = await connect(port);
  try {
    const index = createBanIndex(redis, parts.keyPrefix);
    const bannedAtMs = Date.now();
    const expiresAtMs = bannedAtMs + banMs;
    const write = async (addressIndex: number): Promise<void> => {
      const place = sourceOf(bannedAddress(addressIndex), parts)?.scopes.at(-1);
      if (place === undefined) throw new Error("no rule is for the address");
      const { banKey, network, rule } = place;
      const value = `${bannedAtMs} ${expiresAtMs} ${network} ${rule.name}`;
      const ban = { rule: rule.name, network, bannedAtMs, expiresAtMs };
      await Promise.all([redis.set(banKey, value, "PX", banMs), index(banKey, ban)]);
    };
    for (let first = 0; first < count; first += batch) {
      const size = Math.min(batch, count - first);
      await Promise.all(Array.from({ length: size }, (_, offset) => write(first + offset)));
    }
  } finally {
    redis.disconnect();
  }
}
