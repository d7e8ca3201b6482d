import type { Caller } from "../../platform/http/caller-assertion.ts";
import type { AuditRecord } from "./audit.ts";

/** The API caller as the audit stream names it; only its authentication method if the gateway sent no name. */
export function auditedCaller(caller: Caller | null): Pick<AuditRecord, "actor" | "method" | "clientIp"> {
  if (caller === null) return {};
  const { method, name = method, clientIp } = caller;
  return { actor: name, method, clientIp };
}
