import { expect, test } from "vitest";
import { localPath, pageUrlOf } from "./flow-paths.ts";
import type { FlowRecord } from "./flow-record.ts";

const flow: FlowRecord = { id: "f1", kind: "oidc", state: "login", version: 1, browser: "b", expiresAtMs: 1 };
const pending = { account: "alice", attributes: {}, backend: 8, remember: false, passwordTs: 1 };

const rows: readonly (readonly [what: string, change: Partial<FlowRecord>, place: string | undefined])[] = [
  ["a sign-in", {}, "/login/de?flow=f1"],
  ["a completed sign-in", { state: "ready" }, "/login/de?flow=f1"],
  ["a device code", { kind: "device", state: "code" }, "/oidc/device/verify/de?flow=f1"],
  ["one second factor", { state: "factor", pending: { ...pending, methods: ["totp"] } }, "/login/totp/de?flow=f1"],
  [
    "a choice of second factors",
    { state: "factor", pending: { ...pending, methods: ["webauthn", "totp"] } },
    "/login/mfa/de?flow=f1",
  ],
  // It is the page that follows a correct password, because a different URL would reveal that the password was wrong.
  [
    "a second factor after a wrong password",
    { state: "latched", pending: { ...pending, methods: ["totp"] } },
    "/login/totp/de?flow=f1",
  ],
  ["a second factor that must be set up", { state: "enrolment" }, "/mfa/register/continue/de?flow=f1"],
  ["consent", { state: "consent", params: { state: "a&b" } }, "/oidc/consent/de?consent_challenge=f1&state=a%26b"],
  ["consent for a device", { kind: "device", state: "consent" }, "/oidc/device/consent/de?flow=f1"],
  ["a finished flow", { state: "finished" }, undefined],
];

test.each(rows)("the URL of %s is correct", (_what, change, place) => {
  expect(pageUrlOf({ ...flow, ...change }, "de")).toBe(place);
});

test("a path contains a language and a query only if they are given", () => {
  expect(localPath("/login", undefined)).toBe("/login");
  expect(localPath("/login", "pt-BR", { flow: "a b" })).toBe("/login/pt-BR?flow=a+b");
});
