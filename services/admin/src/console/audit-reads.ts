import type { Audit, AuditRecord } from "@postern/shared/domain/audit";

type Read = Pick<AuditRecord, "actor" | "method" | "clientIp" | "actorDomain"> & {
  readonly event: "account.read" | "network.read";
  readonly target: string;
  readonly session: string;
};

/** Requests of a few seconds. */
const maxKnown = 1024;

/** Records what operators read: once for each request and target, though a page of the console asks several operations. */
export function createAuditReads(audit: Audit) {
  const known = new Set<string>();
  return (record: Read): void => {
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
