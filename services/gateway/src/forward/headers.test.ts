import { expect, test } from "vitest";
import { requestHeaders, responseHeaders } from "./headers.ts";

const caller = { method: "basic", scopes: [], clientIp: "192.0.2.1", session: "s" } as const;

test("credentials that the gateway checked are removed; those that the owner checks are passed on", () => {
  const headers = { authorization: "Basic eDp5", accept: "*/*" };
  expect(requestHeaders("GET", headers, { rule: "backchannel", caller, assertion: "a" })).toEqual({
    accept: "*/*",
    "x-service-caller-assertion": "a",
    "x-forwarded-for": "192.0.2.1",
  });
  expect(requestHeaders("GET", headers, { rule: "owner", caller, assertion: "a" }).authorization).toBe("Basic eDp5");
});

test("hop-by-hop headers are passed on in neither direction", () => {
  const connection = { connection: "keep-alive", "keep-alive": "timeout=5", "transfer-encoding": "chunked", te: "x" };
  expect(responseHeaders({ ...connection, "content-length": "3" })).toEqual({ "content-length": "3" });
  const sent = requestHeaders(
    "POST",
    { ...connection, expect: "100-continue" },
    { rule: "owner", caller, assertion: "a" },
  );
  expect(Object.keys(sent)).toEqual(["x-service-caller-assertion", "x-forwarded-for"]);
});
