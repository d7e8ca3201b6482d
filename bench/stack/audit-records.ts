import { createAuditHistoryWriter } from "@postern/shared/domain/history";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { connect } from "./bans.ts";
import { encryptionSecret } from "./config.ts";
import { mailOf } from "./users.ts";

const keyPrefix = "postern:";
const atATime = 500;

function entryOf(index: number, nowMs: number): Readonly<Record<string, string>> {
  return {
    time: new Date(nowMs).toISOString(),
    service: "admin",
    instance: "bench",
    event: "account.read",
    outcome: "ok",
    actor: "helen@example.test",
    client_ip: "192.0.2.10",
    session: `${index.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`,
    target: mailOf(index),
  };
}

/** Fills the audit history with this number of records of each kind, as services do. */
export async function writeAuditRecords(port: number, size: number): Promise<void> {
  const redis = await connect(port);
  try {
    const keys = createKeyRing([new Secret(encryptionSecret)], "audit-history");
    const limits = { lifeSeconds: 604_800, maxRecords: size };
    const write = createAuditHistoryWriter({ redis, keyPrefix, keys, limits });
    const nowMs = Date.now();
    for (let first = 0; first < size; first += atATime) {
      const entries = Array.from({ length: Math.min(atATime, size - first) }, (_, index) =>
        entryOf(first + index, nowMs),
      );
      for (const kind of ["identified", "unidentified"] as const) await write(kind, entries);
    }
  } finally {
    redis.disconnect();
  }
}
