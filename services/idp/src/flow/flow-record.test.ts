import fc from "fast-check";
import { expect, test } from "vitest";
import { type FlowRecord, parseFlowRecord } from "./flow-record.ts";

const record: FlowRecord = {
  id: "f1",
  kind: "oidc",
  state: "factor",
  version: 4,
  browser: "digest",
  expiresAtMs: 1_700_000_000_000,
  prompt: "login",
  client: { id: "mail", skipConsent: false, requireMfa: ["totp"], mfaLevels: { totp: 1, webauthn: 2, recovery: 1 } },
  params: { scope: "openid", state: "s" },
  missing: { scopes: ["email"], claims: [], resources: { "https://api": ["read"] } },
  pending: {
    account: "alice",
    attributes: { mail: ["alice@example.test"] },
    backend: 8,
    remember: true,
    passwordTs: 1_700_000_000,
    methods: ["totp", "recovery"],
  },
};
const { version: _apart, ...stored } = record;

test("a stored record is read unchanged, with the version that is stored separately", () => {
  expect(parseFlowRecord(JSON.stringify(stored), 4)).toEqual(record);
});

test("members that a newer version wrote are preserved", () => {
  expect(parseFlowRecord(JSON.stringify({ ...stored, later: 1 }), 4)).toEqual({ ...record, later: 1 });
});

test.each([
  ["an unknown state", { state: "half-open" }],
  ["an unknown kind", { kind: "ldap" }],
  ["an unknown factor", { pending: { ...record.pending, methods: ["sms"] } }],
  ["a pending sign-in without an account", { pending: { ...record.pending, account: undefined } }],
  ["a time that is a string", { expiresAtMs: "1" }],
])("a record with %s is ignored", (_what, change) => {
  expect(parseFlowRecord(JSON.stringify({ ...stored, ...change }), 4)).toBeUndefined();
});

test("any other JSON is ignored", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(parseFlowRecord(JSON.stringify(value), 1)).toBeUndefined();
    }),
  );
});
