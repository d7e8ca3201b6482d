import { callerOperationNames, operations } from "@postern/shared/contracts";
import { expect, test } from "vitest";
import { createForwardedActionOf } from "./demands.ts";

const actionOf = createForwardedActionOf();

test("every operation of API callers that another service serves is found by its path, and may be in a list", () => {
  const served = operations.filter(
    ({ family, security }) => family.owner !== "gateway" && (security === "backchannel" || security === "hook"),
  );
  expect(served.length).toBeGreaterThan(20);
  for (const operation of served) {
    const path = operation.path.replaceAll(/\{\w+\}/gu, "x");
    expect([path, actionOf(operation.method.toUpperCase(), path)]).toEqual([path, operation.operationId]);
    expect(callerOperationNames).toContain(operation.operationId);
  }
});

test.each([
  ["HEAD", "/api/v1/bruteforce/list", "listBruteForceEntries"],
  ["DELETE", "/api/v1/cache/flush?x=/api/v1/bruteforce/flush", "flushUserCache"],
  ["DELETE", "/api/v1/%63ache/flush", "flushUserCache"],
  ["DELETE", "/api/v1/oidc/sessions/alice#/token", "deleteOidcSessions"],
  ["DELETE", "/api/v1/oidc/sessions/alice%2Ftoken", "deleteOidcSessions"],
  ["DELETE", "/api/v1/oidc/sessions/alice/token", "deleteOidcSession"],
  ["DELETE", "/api/v1/cache/flush/", undefined],
  ["POST", "/api/v1/cache/flush", undefined],
  ["OPTIONS", "/api/v1/cache/flush", undefined],
  ["GET", "/api/v1/unknown", undefined],
  ["GET", "/api/v1/%", undefined],
])("%s %s is %s", (method, url, action) => {
  expect(actionOf(method, url)).toBe(action);
});
