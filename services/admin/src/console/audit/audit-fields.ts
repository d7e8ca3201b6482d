import type { AuditFields } from "./audit-page.ts";

/** The filter that a form has; empty without one. */
export function auditFieldsIn(form: URLSearchParams | undefined): AuditFields {
  const of = (name: keyof AuditFields): string => form?.get(name)?.trim() ?? "";
  return {
    actor: of("actor"),
    target: of("target"),
    event: of("event"),
    outcome: of("outcome"),
    since: of("since"),
    until: of("until"),
  };
}

/** What is given, as a query of the operation. */
export function auditQuery(fields: AuditFields): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}
