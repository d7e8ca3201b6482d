import { defineScript, type RedisClient, regionLeaseKey } from "@postern/shared/platform/redis";
import { steadyClock } from "@postern/shared/platform/time";
import holdRegionLeaseLua from "./scripts/hold-region-lease.lua?raw";

const holdRegionLease = {
  name: "holdRegionLease",
  lua: holdRegionLeaseLua,
  keys: ["leaseKey"],
  args: ["holder", "lifeMs"],
} as const;

const lifeMs = regionLeaseKey.ttlSeconds * 1000;
/** The holder gives up before another worker can take over. */
const marginMs = 1000;

export type Lease = ReturnType<typeof createLease>;

/**
 * One of all workers has it. Two for a moment, for example because one was frozen, do the same work twice, which is harmless.
 *
 * @param holder identifies this process among its replicas
 */
export function createLease(redis: RedisClient, keyPrefix: string, holder: string) {
  const hold = defineScript(redis, holdRegionLease);
  const leaseKey = regionLeaseKey.build(keyPrefix);
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  return {
    /** Takes or renews it. Never rejects. Resolves with whether this worker has it, and whether it had it before. */
    renew: async (): Promise<"taken" | "renewed" | "lost"> => {
      const beganMs = steadyClock.now();
      let isTaken = false;
      try {
        const reply = await hold({ leaseKey }, { holder, lifeMs });
        isTaken = reply === 2;
        heldUntilMs = reply === 0 ? Number.NEGATIVE_INFINITY : beganMs + lifeMs - marginMs;
      } catch {
        // It may still be ours.
      }
      if (steadyClock.now() >= heldUntilMs) return "lost";
      return isTaken ? "taken" : "renewed";
    },
    /** Never rejects: without Redis, it expires. */
    release: async (): Promise<void> => {
      heldUntilMs = Number.NEGATIVE_INFINITY;
      await hold({ leaseKey }, { holder, lifeMs: 0 }).catch(() => undefined);
    },
  };
}
