import type { KeyRing } from "@postern/shared/crypto";
import { oidcNoticeKey, oidcNoticesDueKey, type RedisClient } from "@postern/shared/redis";
import { createNoticeQueue } from "../logout-notices/notice-queue-redis.ts";
import { isRecord, textOf } from "./json.ts";
import { type LogoutNotice, type LogoutNotices, noticeLifeSeconds } from "./logout-notices.ts";

function noticeOf(value: unknown): LogoutNotice | undefined {
  if (!isRecord(value)) return undefined;
  const [clientId, sub, sid] = [textOf(value["clientId"]), textOf(value["sub"]), textOf(value["sid"])];
  if (clientId === undefined || sub === undefined) return undefined;
  return { clientId, sub, ...(sid !== undefined && { sid }) };
}

export function createLogoutNotices(deps: {
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly keys: KeyRing;
  readonly leaseMs: () => number;
}): LogoutNotices {
  const { redis, prefix, keys, leaseMs } = deps;
  return createNoticeQueue({
    redis,
    keys,
    name: "oidcNotice",
    dueKey: oidcNoticesDueKey.build(prefix),
    keyOf: (id) => oidcNoticeKey.build(prefix, id),
    lifeSeconds: noticeLifeSeconds,
    leaseMs,
    parse: noticeOf,
  });
}
