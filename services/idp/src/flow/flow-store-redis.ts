import { digestOf, type KeyRing } from "@postern/shared/platform/crypto";
import { decidedInRedis, defineScript, flowKey, latestFlowKey, type RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { type FlowRecord, parseFlowRecord } from "./flow-record.ts";
import writeFlowLua from "./scripts/write-flow.lua?raw";

export type NewFlow = Omit<FlowRecord, "version">;

const digest = (text: string): string => digestOf(text).toString("base64url");

const decided = decidedInRedis("flows cannot be reached");

/**
 * Flows in Redis, encrypted, under digests of their ids. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot
 * answer.
 * @param clock the clock that all replicas share.
 */
export function createFlowStore(redis: RedisClient, keyPrefix: string, keys: KeyRing, clock: Clock) {
  const write = defineScript(redis, {
    name: "writeFlow",
    lua: writeFlowLua,
    keys: ["flowKey"],
    args: ["expectedVersion", "sealed", "lifeMs"],
  });
  const recordKey = (id: string): string => flowKey.build(keyPrefix, digest(id));
  const longestMs = flowKey.ttlSeconds * 1000;
  // Relative, so that a key never lives shorter or longer because clocks differ.
  const lifeMs = ({ expiresAtMs }: Pick<FlowRecord, "expiresAtMs">): number =>
    Math.max(1, Math.min(Math.ceil(expiresAtMs - clock.now()), longestMs));

  const store = async (flow: Omit<FlowRecord, "version">, version: number): Promise<boolean> => {
    const key = recordKey(flow.id);
    const { version: _, ...kept } = { version, ...flow };
    const sealed = keys.seal(JSON.stringify(kept), key).toString("base64url");
    return (await write({ flowKey: key }, { expectedVersion: version, sealed, lifeMs: lifeMs(flow) })) === 1;
  };

  return {
    /** @returns false if a flow with this id exists */
    begin: (flow: NewFlow): Promise<boolean> =>
      decided(async () => {
        const began = await store(flow, 0);
        const latest = latestFlowKey.build(keyPrefix, flow.browser);
        const sealed = keys.seal(flow.id, latest).toString("base64url");
        if (began) await redis.set(latest, sealed, "PX", lifeMs(flow));
        return began;
      }),
    find: (id: string): Promise<FlowRecord | undefined> =>
      decided(async () => {
        const { v, n } = await redis.hgetall(recordKey(id));
        if (v === undefined || n === undefined) return undefined;
        const opened = keys.open(Buffer.from(v, "base64url"), recordKey(id));
        const flow = opened === undefined ? undefined : parseFlowRecord(opened.toString("utf8"), Number(n));
        return flow !== undefined && flow.expiresAtMs > clock.now() ? flow : undefined;
      }),
    /**
     * Writes `next` if the stored version is still `next.version`, and raises the version. @returns undefined if it is
     * not
     */
    replace: (next: FlowRecord): Promise<FlowRecord | undefined> =>
      decided(async () => ((await store(next, next.version)) ? { ...next, version: next.version + 1 } : undefined)),
    /** The id of the flow that this browser started last. */
    latestOf: (browser: string): Promise<string | undefined> =>
      decided(async () => {
        const key = latestFlowKey.build(keyPrefix, browser);
        const sealed = await redis.get(key);
        return sealed === null ? undefined : keys.open(Buffer.from(sealed, "base64url"), key)?.toString("utf8");
      }),
  };
}

export type FlowStore = ReturnType<typeof createFlowStore>;
