import { expect, test } from "vitest";
import { localPath, pageUrlOf } from "./flow-paths.ts";
import type { FlowRecord } from "./flow-record.ts";

const flow: FlowRecord = { id: "f1", kind: "oidc", state: "login", version: 1, browser: "b", expiresAtMs: 1 };
const pending = { account: "alice", attributes: {}, backend: 8, remember: false, passwordTs: 1 };

const rows: readonly (readonly [what: string, change: Partial<FlowRecord>, place: string | undefined])[] = [
  ["a sign-in", {}, "/login/de?flow=f1"],
  ["a sign-in that is done", { state: "ready" }, "/login/de?flow=f1"],
  ["a device code", { kind: "device", state: "code" }, "/oidc/device/verify/de?flow=f1"],
  ["one factor", { state: "factor", pending: { ...pending, methods: ["totp"] } }, "/login/totp/de?flow=f1"],
  [
    "a choice of factors",
    { state: "factor", pending: { ...pending, methods: ["webauthn", "totp"] } },
    "/login/mfa/de?flow=f1",
  ],
  // The same page as after a correct password, or the address would tell.
  [
    "one factor after a wrong password",
    { state: "latched", pending: { ...pending, methods: ["totp"] } },
    "/login/totp/de?flow=f1",
  ],
  ["a factor that must be set up", { state: "enrolment" }, "/mfa/register/continue/de?flow=f1"],
  ["consent", { state: "consent", params: { state: "a&b" } }, "/oidc/consent/de?consent_challenge=f1&state=a%26b"],
  ["consent for a device", { kind: "device", state: "consent" }, "/oidc/device/consent/de?flow=f1"],
  ["a flow that is over", { state: "finished" }, undefined],
];

test.each(rows)("%s has its page", (_what, change, place) => {
  expect(pageUrlOf({ ...flow, ...change }, "de")).toBe(place);
});

test("a path has its language and its query only where there are some", () => {
  expect(localPath("/login", undefined)).toBe("/login");
  expect(localPath("/login", "pt-BR", { flow: "a b" })).toBe("/login/pt-BR?flow=a+b");
});
