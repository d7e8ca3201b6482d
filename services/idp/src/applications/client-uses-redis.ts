import { digestOf } from "@postern/shared/platform/crypto";
import { clientUsesKey, decidedInRedis, type RedisClient } from "@postern/shared/platform/redis";

export type ClientKind = "oidc" | "saml";

export interface ClientUse {
  readonly kind: ClientKind;
  readonly id: string;
  readonly atSeconds: number;
}

const maxClients = 10_000;
const ofUses = decidedInRedis("the last use of clients cannot be read or written");

/** Redis contains no readable names of clients. */
const memberOf = (id: string): string => digestOf(id).toString("base64url");

/** Keeps last uses; `redis` is of the role `state`. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer. */
export function createClientUseStore(redis: RedisClient, keyPrefix: string) {
  const keyOf = (kind: ClientKind): string => clientUsesKey.build(keyPrefix, kind);
  return {
    /** A later use that is already stored remains. */
    write: (uses: readonly ClientUse[]): Promise<void> =>
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
    /** Seconds by client, for those of the clients that were used. */
    read: (kind: ClientKind, ids: readonly string[]): Promise<ReadonlyMap<string, number>> =>
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

export type ClientUseStore = ReturnType<typeof createClientUseStore>;
