import type { Audit, AuditRecord } from "@postern/shared/domain/audit";

/** Records what operators read: once for each request and target, though a page of the console asks several operations. */
export type AuditReads = (
  record: Pick<AuditRecord, "actor" | "method" | "clientIp" | "actorDomain"> & {
    readonly event: "account.read" | "network.read";
    readonly target: string;
    readonly session: string;
  },
) => void;

/** Requests of a few seconds. */
const maxKnown = 1024;

export function createAuditReads(audit: Audit): AuditReads {
  const known = new Set<string>();
  return (record) => {
    const { event, actor = "", target, session } = record;
    const key = JSON.stringify([session, event, actor, target.trim().toLowerCase()]);
    if (known.has(key)) return;
    known.add(key);
    for (const oldest of known) {
      if (known.size <= maxKnown) break;
      known.delete(oldest);
    }
    audit.record({ ...record, outcome: "ok" });
  };
}
