import type { Caller } from "../../platform/http/caller-assertion.ts";
import type { AuditRecord } from "./audit.ts";

/** The name of the API caller in the audit stream; its authentication method if the gateway sent no name. */
export function auditedCaller(caller: Caller | null): Pick<AuditRecord, "actor" | "method" | "clientIp"> {
  if (caller === null) return {};
  const { method, name = method, clientIp } = caller;
  return { actor: name, method, clientIp };
}
