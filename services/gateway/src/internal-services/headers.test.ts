import { expect, test } from "vitest";
import { requestHeaders, responseHeaders } from "./headers.ts";

const caller = { method: "basic", scopes: [], clientIp: "192.0.2.1", session: "s" } as const;

const get = { method: "GET", host: undefined };

test("credentials that the gateway checked are removed; those that the service checks are passed on", () => {
  const headers = { authorization: "Basic eDp5", accept: "*/*" };
  expect(requestHeaders(get, headers, { rule: "backchannel", caller, assertion: "a", traceparent: undefined })).toEqual(
    {
      accept: "*/*",
      "x-service-caller-assertion": "a",
      "x-forwarded-for": "192.0.2.1",
    },
  );
  expect(
    requestHeaders(get, headers, { rule: "service", caller, assertion: "a", traceparent: undefined }).authorization,
  ).toBe("Basic eDp5");
});

test("hop-by-hop headers are passed on in neither direction", () => {
  const connection = { connection: "keep-alive", "keep-alive": "timeout=5", "transfer-encoding": "chunked", te: "x" };
  expect(responseHeaders({ ...connection, "content-length": "3" })).toEqual({ "content-length": "3" });
  const sent = requestHeaders(
    { method: "POST", host: undefined },
    { ...connection, expect: "100-continue" },
    { rule: "service", caller, assertion: "a", traceparent: undefined },
  );
  expect(Object.keys(sent)).toEqual(["x-service-caller-assertion", "x-forwarded-for"]);
});

test("the service receives the host that the client asked, never one that the client claims in another header", () => {
  const headers = { host: "127.0.0.1:9103", "x-forwarded-host": "claimed.example.test" };
  const vouched = { rule: "service", caller, assertion: "a", traceparent: undefined } as const;
  const host = "autoconfig.example.test";
  expect(requestHeaders({ method: "GET", host }, headers, vouched)["x-forwarded-host"]).toBe(host);
  expect(requestHeaders(get, headers, vouched)["x-forwarded-host"]).toBeUndefined();
});

test("the service receives the trace of the gateway's span, never what the client names", () => {
  const claimed = {
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    tracestate: "a=b",
    baggage: "c=d",
  };
  const vouched = { rule: "service", caller, assertion: "a", traceparent: undefined } as const;
  expect(Object.keys(requestHeaders(get, claimed, vouched))).toEqual(["x-service-caller-assertion", "x-forwarded-for"]);
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  expect(requestHeaders(get, claimed, { ...vouched, traceparent }).traceparent).toBe(traceparent);
});
