import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import type { BrowserSessionRecord } from "./browser-session-port.ts";

const optional = Type.Optional;
const text = Type.String();

const Record = Type.Object({
  uid: text,
  sid: text,
  accountId: text,
  lacksSubject: optional(Type.Boolean()),
  account: text,
  displayName: optional(text),
  attributes: optional(Type.Record(text, Type.Array(text))),
  groups: optional(Type.Array(text)),
  groupDns: optional(Type.Array(text)),
  backend: optional(Type.Integer()),
  loginTs: Type.Integer(),
  acr: optional(text),
  amr: optional(Type.Array(text)),
  mfaTs: optional(Type.Integer()),
  factor: optional(Type.Object({ id: text, since: optional(Type.Integer()), isVouched: Type.Boolean() })),
  isDoubted: optional(Type.Boolean()),
  remember: Type.Boolean(),
  origin: optional(Type.Object({ clientIp: text, userAgent: text })),
  iat: Type.Integer(),
  exp: Type.Integer(),
  authorizations: Type.Record(text, Type.Object({ sid: text, grantId: optional(text) })),
  oidcState: optional(Type.Record(text, Type.Unknown())),
});

/** Reads a record; unknown members that a newer version wrote are kept. */
export function parseSessionRecord(json: string): BrowserSessionRecord | undefined {
  const value: unknown = JSON.parse(json);
  if (!Value.Check(Record, value)) return undefined;
  const record: Static<typeof Record> = value;
  return record;
}
