import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";

let oidc: OidcStack;

beforeAll(async () => {
  oidc = await startOidcStack();
});

afterAll(() => oidc[Symbol.asyncDispose]());

async function send(path: string, body: string) {
  const response = await fetch(`${oidc.issuer}${path}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: Buffer.from(body, "latin1"),
  });
  return { status: response.status, body: await response.text() };
}

const client = "client_id=demo-m2m&client_secret=demo-m2m-secret";

test.each([
  ["/oidc/token", "grant_type=client_credentials&scope=%ff"],
  ["/oidc/token", "grant_type=client_credentials&scope=\u00ff"],
  ["/oidc/introspect", "token=%c3%28"],
  ["/oidc/revoke", "token=\u00e4"],
  ["/oidc/device", "scope=%e4"],
])("a form to %s that is not UTF-8 (%j) is rejected with 400 and that reason", async (path, fields) => {
  const { status, body } = await send(path, `${client}&${fields}`);
  expect([status, JSON.parse(body)]).toEqual([
    400,
    { error: "invalid_request", error_description: "the form is not UTF-8" },
  ]);
});

function formRejectionCount(): number {
  return oidc.processes.flatMap((one) => [...one.output().matchAll(/"msg":"the form is not UTF-8"/gu)]).length;
}

test("a password that is not UTF-8 is rejected with 400 rather than altered", async () => {
  for (const password of ["%e4", "\u00e4"]) {
    const { status } = await send("/login", `username=alice%40example.test&password=${password}`);
    expect(status).toBe(400);
  }
  await poll("the reason in the log", () => formRejectionCount() === 2);
});

const request = `client_id=demo-web&response_type=code&scope=openid&redirect_uri=${encodeURIComponent(callback)}`;

/** Number of logged rejections by the pages and the authorization endpoint. */
function rejectionCount(): number {
  const lines = /"(?:why|msg)":"the (?:query|form) is not UTF-8"/gu;
  return oidc.processes.flatMap((one) => [...one.output().matchAll(lines)]).length;
}

test.each([
  `/oidc/authorize?${request}&state=%ff`,
  `/oidc/authorize/de?${request}&state=%c3%28`,
  "/oidc/logout?state=%e4",
  "/logout?client_id=%ff",
])("a query that is not UTF-8 (%s) is rejected with 400 and logged", async (path) => {
  const before = rejectionCount();
  const { status } = await fetch(`${oidc.issuer}${path}`, { redirect: "manual" });
  expect(status).toBe(400);
  await poll("the reason in the log", () => rejectionCount() === before + 1);
});
