import { digestOf } from "@postern/shared/platform/crypto";
import { clientUsesKey, decidedInRedis, type RedisClient } from "@postern/shared/platform/redis";
import type { ClientKind, ClientUseStore } from "./client-uses.ts";

const maxClients = 10_000;
const ofUses = decidedInRedis("the last use of clients cannot be read or written");

/** Redis contains no readable names of clients. */
const memberOf = (id: string): string => digestOf(id).toString("base64url");

/** `redis` is of the role `state`. */
export function createClientUseStore(redis: RedisClient, keyPrefix: string): ClientUseStore {
  const keyOf = (kind: ClientKind): string => clientUsesKey.build(keyPrefix, kind);
  return {
    write: (uses) =>
      ofUses(async () => {
        for (const kind of new Set(uses.map((use) => use.kind))) {
          const key = keyOf(kind);
          const own = uses.filter((use) => use.kind === kind);
          // Another replica may have written a later use.
          await redis.zadd(key, "GT", ...own.flatMap(({ id, atSeconds }) => [atSeconds, memberOf(id)]));
          await redis.zremrangebyrank(key, 0, -maxClients - 1);
          await redis.expire(key, clientUsesKey.ttlSeconds);
        }
      }),
    read: (kind, ids) =>
      ofUses(async () => {
        if (ids.length === 0) return new Map();
        const scores = await redis.zmscore(keyOf(kind), ...ids.map(memberOf));
        return new Map(
          ids.flatMap((id, index) => {
            const score = scores[index] ?? null;
            return score === null ? [] : [[id, Number(score)] as const];
          }),
        );
      }),
  };
}
