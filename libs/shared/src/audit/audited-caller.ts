import type { Caller } from "../http/caller-assertion.ts";
import type { AuditRecord } from "./audit.ts";

/** The caller as the audit stream names it; by its way in alone where the gateway told no name. */
export function auditedCaller(caller: Caller | null): Pick<AuditRecord, "actor" | "method" | "clientIp"> {
  if (caller === null) return {};
  const { method, name = method, clientIp } = caller;
  return { actor: name, method, clientIp };
}
