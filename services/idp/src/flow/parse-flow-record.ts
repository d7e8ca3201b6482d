import { Type } from "typebox";
import { Value } from "typebox/value";
import type { FlowRecord } from "./flow-record.ts";

const optional = Type.Optional;
const text = Type.String();
const texts = Type.Array(text);
const oneOf = <const Values extends string[]>(values: readonly [...Values]) => Type.Enum<Values>(values);

const Client = Type.Object({
  id: text,
  name: optional(text),
  logoUri: optional(text),
  policyUri: optional(text),
  tosUri: optional(text),
  startUri: optional(text),
  skipConsent: Type.Boolean(),
  requiredMfaLevel: optional(text),
  requireMfa: optional(texts),
  supportedMfa: optional(texts),
  mfaLevels: optional(Type.Object({ totp: Type.Number(), webauthn: Type.Number(), recovery: Type.Number() })),
  delayedResponse: optional(Type.Boolean()),
});

const Params = Type.Object({
  scope: optional(text),
  loginHint: optional(text),
  uiLocales: optional(text),
  acrValues: optional(text),
  claims: optional(text),
  redirectUri: optional(text),
  state: optional(text),
});

const Pending = Type.Object({
  account: text,
  uniqueUserId: optional(text),
  shownAs: optional(text),
  displayName: optional(text),
  attributes: Type.Record(text, texts),
  groups: optional(texts),
  groupDns: optional(texts),
  passwordWarning: optional(
    Type.Object({ graceLoginsLeft: optional(Type.Integer()), expiresInSeconds: optional(Type.Integer()) }),
  ),
  backend: Type.Integer(),
  remember: Type.Boolean(),
  isSuspicious: optional(Type.Boolean()),
  passwordTs: Type.Integer(),
  methods: Type.Array(oneOf(["totp", "webauthn", "recovery"])),
  missing: optional(Type.Array(oneOf(["totp", "webauthn", "recovery"]))),
});

const Record = Type.Object({
  id: text,
  kind: oneOf(["oidc", "saml", "device", "self_service"]),
  state: oneOf(["code", "login", "factor", "latched", "enrolment", "ready", "consent", "finished"]),
  browser: text,
  expiresAtMs: Type.Number(),
  prompt: optional(oneOf(["login", "consent", "select_account"])),
  reasons: optional(texts),
  client: optional(Client),
  params: optional(Params),
  missing: optional(Type.Object({ scopes: texts, claims: texts, resources: Type.Record(text, texts) })),
  languageTag: optional(text),
  accountId: optional(text),
  deviceKey: optional(text),
  returnTo: optional(text),
  pending: optional(Pending),
  hasFailed: optional(Type.Boolean()),
  failedReference: optional(text),
  sessionUid: optional(text),
});

/** Reads a record of this or an adjacent version; undefined for anything else, so that the flow starts again. */
export function parseFlowRecord(json: string, version: number): FlowRecord | undefined {
  const value: unknown = JSON.parse(json);
  return Value.Check(Record, value) ? { ...value, version } : undefined;
}
