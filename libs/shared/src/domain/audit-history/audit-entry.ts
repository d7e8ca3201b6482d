import { Type } from "typebox";
import { Value } from "typebox/value";

/** An audit record as its line has it, with time and process. */
export type AuditEntry = Readonly<Record<string, string>>;

const Entry = Type.Record(Type.String(), Type.String());

/** Where a record is kept. Denials without an identified actor can be caused by anyone, in any number. */
export const auditHistoryKinds = ["identified", "unidentified"] as const;
export type AuditHistoryKind = (typeof auditHistoryKinds)[number];

export function kindOf(entry: AuditEntry): AuditHistoryKind {
  return entry["actor"] === undefined && entry["outcome"] !== "ok" ? "unidentified" : "identified";
}

/** Undefined for anything but the text of an entry. */
export function parsedEntry(text: string): AuditEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return Value.Check(Entry, value) ? value : undefined;
}
