import type { KeyRing } from "../../platform/crypto/key-ring.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { auditHistoryKey } from "../../platform/redis/keys/history.ts";
import { defineVariableScript } from "../../platform/redis/script.ts";
import type { AuditEntry, AuditHistoryKind } from "./audit-entry.ts";
import addAuditRecordsLua from "./scripts/add-audit-records.lua?raw";

const addAuditRecords = { name: "addAuditRecords", lua: addAuditRecordsLua };

export interface AuditHistoryLimits {
  readonly lifeSeconds: number;
  readonly maxRecords: number;
}

export interface AuditHistoryWriterDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  readonly limits: AuditHistoryLimits;
}

/** Rejects if it is not known that all entries were written. */
export type WriteAuditHistory = (kind: AuditHistoryKind, entries: readonly AuditEntry[]) => Promise<void>;

export function createAuditHistoryWriter(deps: AuditHistoryWriterDeps): WriteAuditHistory {
  const { redis, keyPrefix, keys, limits } = deps;
  const run = defineVariableScript(redis, addAuditRecords, 1);
  return async (kind, entries) => {
    const key = auditHistoryKey.build(keyPrefix, kind);
    const sealed = entries.map((entry) => keys.seal(JSON.stringify(entry), key).toString("base64"));
    await run([key], [limits.lifeSeconds, limits.maxRecords, ...sealed]);
  };
}
