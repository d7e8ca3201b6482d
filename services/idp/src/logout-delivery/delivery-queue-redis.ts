import { randomUUID } from "node:crypto";
import type { KeyRing } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { defineScript, type RedisClient } from "@postern/shared/platform/redis";
import type { Claimed } from "./delivery-queue.ts";
import addDeliveryLua from "./scripts/add-delivery.lua?raw";
import claimDeliveriesLua from "./scripts/claim-deliveries.lua?raw";
import retryDeliveryLua from "./scripts/retry-delivery.lua?raw";
import settleDeliveryLua from "./scripts/settle-delivery.lua?raw";

export interface DeliveryQueueDeps<Delivery> {
  readonly redis: RedisClient;
  readonly keys: KeyRing;
  /** The sorted set by due time, with the hash tag of the deliveries. */
  readonly dueKey: string;
  readonly keyOf: (id: string) => string;
  readonly lifeSeconds: number;
  /** Time until a claimed delivery can be claimed again, unless it was settled. */
  readonly leaseMs: () => number;
  readonly parse: (value: unknown) => Delivery | undefined;
}

function decided<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    throw new AppError("REDIS_UNAVAILABLE", { detail: "the queue of logout messages cannot be reached", cause });
  });
}

function scriptsOf(redis: RedisClient) {
  return {
    put: defineScript(redis, {
      name: "addDelivery",
      lua: addDeliveryLua,
      keys: ["queueKey", "deliveryKey"],
      args: ["id", "sealed", "lifeSeconds", "delayMs"],
    }),
    take: defineScript(redis, {
      name: "claimDeliveries",
      lua: claimDeliveriesLua,
      keys: ["queueKey"],
      args: ["maxDeliveries", "leaseMs"],
    }),
    delay: defineScript(redis, {
      name: "retryDelivery",
      lua: retryDeliveryLua,
      keys: ["queueKey", "deliveryKey"],
      args: ["id", "delayMs"],
    }),
    drop: defineScript(redis, {
      name: "settleDelivery",
      lua: settleDeliveryLua,
      keys: ["queueKey", "deliveryKey"],
      args: ["id"],
    }),
  };
}

/**
 * The queue of logout messages, shared by all replicas: sealed deliveries in Redis, in a sorted set by due time. Rejects if
 * Redis does not answer.
 */
export function createDeliveryQueue<Delivery>(deps: DeliveryQueueDeps<Delivery>) {
  const { redis, keys, dueKey: queueKey, keyOf, lifeSeconds, leaseMs, parse } = deps;
  const { put, take, delay, drop } = scriptsOf(redis);
  const keysOf = (id: string) => ({ queueKey, deliveryKey: keyOf(id) });
  const addOne = async (delivery: Delivery, delayMs: number): Promise<Claimed<Delivery>> => {
    const id = randomUUID();
    const sealed = keys.seal(JSON.stringify(delivery), keyOf(id)).toString("base64");
    await put(keysOf(id), { id, sealed, lifeSeconds, delayMs });
    return { id, delivery, attempts: 0 };
  };
  const read = async (id: string): Promise<readonly Claimed<Delivery>[]> => {
    const [sealed, attempts] = await redis.hmget(keyOf(id), "v", "a");
    const opened = typeof sealed === "string" ? keys.open(Buffer.from(sealed, "base64"), keyOf(id)) : undefined;
    const delivery = opened === undefined ? undefined : parse(JSON.parse(opened.toString("utf8")));
    if (delivery !== undefined) return [{ id, delivery, attempts: Number(attempts ?? 0) }];
    // It has expired, or no key opens it.
    await drop(keysOf(id), { id });
    return [];
  };
  return {
    add: (deliveries: readonly Delivery[]): Promise<void> =>
      decided(Promise.all(deliveries.map((delivery) => addOne(delivery, 0))).then(() => undefined)),
    /**
     * Adds messages claimed by this replica, which attempts them immediately; if it dies, they are due after the lease.
     */
    addClaimed: (deliveries: readonly Delivery[]): Promise<readonly Claimed<Delivery>[]> =>
      decided(Promise.all(deliveries.map((delivery) => addOne(delivery, leaseMs())))),
    /** The due messages, the oldest first. A message that is not settled becomes due again after its lease. */
    claim: (limit: number): Promise<readonly Claimed<Delivery>[]> =>
      decided(
        take({ queueKey }, { maxDeliveries: limit, leaseMs: leaseMs() }).then(async (ids) => {
          const known = Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
          return (await Promise.all(known.map(read))).flat();
        }),
      ),
    /** Delivered, or failed permanently. */
    settle: (id: string): Promise<void> => decided(drop(keysOf(id), { id }).then(() => undefined)),
    retry: (id: string, delayMs: number): Promise<void> =>
      decided(delay(keysOf(id), { id, delayMs }).then(() => undefined)),
  };
}

export type DeliveryQueue<Delivery> = ReturnType<typeof createDeliveryQueue<Delivery>>;
