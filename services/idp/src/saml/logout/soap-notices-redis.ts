import { samlNoticeKey, samlNoticesDueKey } from "@postern/shared/redis";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { noticeLeaseMs } from "../../logout-notices/notice-queue.ts";
import { createNoticeQueue } from "../../logout-notices/notice-queue-redis.ts";
import type { SamlRedisDeps } from "../sso/pending-requests-redis.ts";
import { type SoapNotices, soapTimes } from "./soap-notices.ts";

const Notice = Type.Object({
  entityId: Type.String(),
  nameId: Type.Object({ format: Type.String(), value: Type.String() }),
  sessionIndex: Type.String(),
  endedMs: Type.Number(),
  journey: Type.Optional(Type.Object({ id: Type.String(), index: Type.Integer() })),
});

export function createSoapNotices({ redis, prefix, keys }: SamlRedisDeps): SoapNotices {
  return createNoticeQueue({
    redis,
    keys,
    name: "samlNotice",
    dueKey: samlNoticesDueKey.build(prefix),
    keyOf: (id) => samlNoticeKey.build(prefix, id),
    lifeSeconds: samlNoticeKey.ttlSeconds,
    leaseMs: () => noticeLeaseMs(soapTimes),
    parse: (value) => (Value.Check(Notice, value) ? value : undefined),
  });
}
