import { status } from "@grpc/grpc-js";
import { createAttributeFilter } from "@postern/shared/domain/released-attributes";
import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import type { CallerAuthOutcome } from "../callers/outcome.ts";
import { requestOf } from "./auth-service.ts";
import { peerOf } from "./call-facts.ts";
import { callerRefusal, decisionResult, errorResult } from "./call-result.ts";

const releasable = createAttributeFilter(["otpSeed"]);
const facts = {
  session: "s-1",
  dialect: "grpc",
  clientIp: "192.0.2.7",
  clientPort: "4711",
  clientIpIsPeer: false,
  userAgent: undefined,
  acceptLanguage: undefined,
} as const;

test.each<[CallerAuthOutcome, number]>([
  ["missing", status.UNAUTHENTICATED],
  ["bad_basic", status.UNAUTHENTICATED],
  ["bad_token", status.UNAUTHENTICATED],
  ["wrong_token_type", status.UNAUTHENTICATED],
  ["missing_scope", status.PERMISSION_DENIED],
  ["not_configured", status.UNAVAILABLE],
  ["unavailable", status.UNAVAILABLE],
  ["canceled", status.CANCELLED],
  ["deadline_exceeded", status.DEADLINE_EXCEEDED],
])("a caller with %s ends with code %i", (outcome, code) => {
  expect(callerRefusal(outcome, "service:authenticate")?.code).toBe(code);
});

test("an admitted caller has no error, and a missing scope is named", () => {
  expect(callerRefusal("ok_basic", "service:authenticate")).toBeUndefined();
  expect(callerRefusal("missing_scope", "service:authenticate")).toMatchObject({
    details: "missing scope service:authenticate",
  });
});

test("the caller's errors are INVALID_ARGUMENT, temporary failures are UNAVAILABLE, and a bug is INTERNAL", () => {
  const codes = (["REQUEST_MALFORMED", "BUS_NO_RESPONDERS", "INTERNAL", "LIST_TOO_LONG"] as const).map(
    (code) => errorResult(new AppError(code)).code,
  );
  expect(codes).toEqual([status.INVALID_ARGUMENT, status.UNAVAILABLE, status.INTERNAL, status.RESOURCE_EXHAUSTED]);
});

test("secret attributes are not released, by name and by configured field", () => {
  const result = decisionResult(
    {
      outcome: "ok",
      account: "alice",
      accountField: "account",
      totpSecretField: "otpSeed",
      backend: 8,
      attributes: { mail: ["a@example.test"], otpSeed: ["JBSW"], userPassword: ["x"] },
      memoryCache: "miss",
    },
    "s-1",
    releasable,
  );
  expect(result).toMatchObject({ message: { attributes: { mail: { values: ["a@example.test"] } } } });
});

const denied = (message: string): unknown =>
  decisionResult({ outcome: "blocked", rule: "r", message, memoryCache: "miss" }, "s-1", releasable);

test("a policy's text is complete in the message, printable ASCII in metadata, and never OK on a denial", () => {
  expect(denied("Gesperrt für\r\nheute")).toMatchObject({
    message: { ok: false, decision: 2, status_message: "Gesperrt für\r\nheute" },
    authStatus: "Gesperrt f?r??heute",
  });
  expect(denied("OK")).toMatchObject({ authStatus: "FAIL" });
});

test("in a request, an empty string or 0 means absent, except for an empty password", () => {
  const message = { username: "alice", password: "", client_ip: "", ssl: "on", auth_login_attempt: 0, protocol: "" };
  expect(requestOf("authenticate", { message }, facts)).toEqual({
    session: "s-1",
    dialect: "grpc",
    operation: "authenticate",
    username: "alice",
    password: "",
    protocol: "default",
    clientIp: "192.0.2.7",
    clientPort: "4711",
    tls: true,
    memoryCache: true,
    sharedCache: true,
  });
  expect(requestOf("list-accounts", { message: {} }, facts).protocol).toBe("account-provider");
  expect(() => requestOf("lookup", { message: undefined }, facts)).toThrow("REQUEST_MALFORMED");
});

test.each([
  ["127.0.0.1:4711", { host: "127.0.0.1", port: "4711" }],
  ["[::1]:4711", { host: "::1", port: "4711" }],
  ["2001:db8::7:4711", { host: "2001:db8::7", port: "4711" }],
  ["unknown", { host: "unknown", port: "" }],
])("the peer %s is parsed", (text, parts) => {
  expect(peerOf(text)).toEqual(parts);
});
