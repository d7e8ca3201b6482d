import { createBanIds, type OwnRegion, parseBan } from "@postern/shared/domain/brute-force";
import type { RegionEvent } from "@postern/shared/domain/regions";
import type { CountedAttempt, RedisParts } from "./shared-store.ts";

interface ShareDeps extends Pick<RedisParts, "redis" | "clock"> {
  readonly keyPrefix: string;
  readonly region: OwnRegion;
}

/** Tells the other regions which bans this one has imposed on the networks of an attempt: one failure may reach the limits of several rules. */
export function createShareBans({ redis, keyPrefix, clock, region: { name, log } }: ShareDeps) {
  const idsOf = createBanIds(redis, keyPrefix, name);
  return async ({ scopes, source: { tag } }: CountedAttempt): Promise<void> => {
    const values = await redis.mget(scopes.map(({ banKey }) => banKey));
    const events = scopes.map(async (scope, index): Promise<readonly RegionEvent[]> => {
      const ban = parseBan(values[index] ?? "");
      if (ban === undefined) return [];
      const ids = await idsOf({ ...scope, tag }, ban, clock.now());
      const own = ids.filter(({ id }) => id.startsWith(`${name} `));
      return own.map((one) => ({ kind: "ban", network: scope.network, rule: scope.rule.name, ...one }));
    });
    await log.append(...(await Promise.all(events)).flat());
  };
}
