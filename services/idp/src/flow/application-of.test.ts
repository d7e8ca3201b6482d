import { expect, test } from "vitest";
import { applicationOf } from "./application-of.ts";
import type { FlowRecord } from "./flow-record.ts";

const flow: FlowRecord = {
  id: "flow",
  kind: "oidc",
  state: "finished",
  version: 1,
  browser: "",
  expiresAtMs: 0,
  client: { id: "webmail", name: "Webmail", skipConsent: false },
  params: { redirectUri: "https://webmail.example.test/callback?x=1" },
};

test("the way back to an application is the page that starts its sign-in, otherwise the root of its origin", () => {
  const startUri = "https://webmail.example.test/login?iss=x";
  const client = { id: "webmail", skipConsent: false };
  expect(applicationOf({ ...flow, client: { ...client, startUri } })).toEqual({ name: "webmail", href: startUri });
  expect(applicationOf(flow)).toEqual({ name: "Webmail", href: "https://webmail.example.test/" });
});

test.each([
  ["that registered itself", { client: { id: "app", name: "Webmail", skipConsent: false, isUnverified: true } }],
  ["that is native", { params: { redirectUri: "com.example.app:/callback" } }],
  ["that listens on loopback", { params: { redirectUri: "http://127.0.0.1:9999/callback" } }],
  ["without an address", { params: {} }],
])("there is no way back to an application %s", (_what, change) => {
  expect(applicationOf({ ...flow, ...change })).toBeUndefined();
});
