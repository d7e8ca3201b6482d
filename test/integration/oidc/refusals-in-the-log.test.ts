import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";

let oidc: OidcStack;
const output = (): string => oidc.processes.map((process) => process.output()).join("\n");

beforeAll(async () => {
  oidc = await startOidcStack();
});

afterAll(() => oidc[Symbol.asyncDispose]());

async function token(form: Record<string, string>, credentials?: string): Promise<number> {
  const headers = credentials === undefined ? {} : { authorization: `Basic ${btoa(credentials)}` };
  const body = new URLSearchParams(form);
  return (await oidc.ask(0, "/oidc/token", { method: "POST", headers, body })).status;
}

test("a rejected client is logged with the reason but without its secret", async () => {
  const code = { grant_type: "authorization_code", code: "none", redirect_uri: "http://127.0.0.1:8090/callback" };
  expect(await token(code, "demo-web:not-the-secret")).toBe(401);
  expect(await token(code, "nobody:not-the-secret")).toBe(401);
  expect(await token(code, "demo-web:demo-web-secret")).toBe(400);
  const headers = { authorization: `Basic ${btoa("demo-dovecot:not-the-secret")}` };
  await oidc.ask(0, "/oidc/introspect", { method: "POST", headers, body: new URLSearchParams({ token: "x" }) });
  await createBrowser(oidc.replicas).get("/oidc/authorize?client_id=unknown&response_type=code");
  await createBrowser(oidc.replicas).get("/oidc/logout?client_id=unknown");
  const pushed = new URLSearchParams({ response_type: "code", redirect_uri: "https://elsewhere.example/" });
  const known = { authorization: `Basic ${btoa("demo-web:demo-web-secret")}` };
  await oidc.ask(0, "/oidc/par", { method: "POST", headers: known, body: pushed });
  await oidc.ask(0, "/oidc/device", { method: "POST", body: new URLSearchParams({ client_id: "demo-spa" }) });
  const lines = [
    /"event":"pushed_authorization_request.error"[^\n]*"client":"demo-web","reason":"invalid_request:[^"]+"/,
    /"event":"device_authorization.error"[^\n]*"client":"demo-spa","reason":"[^"]+"/,
    /"client":"demo-web","reason":"invalid_client:[^"]+"/,
    /"client":"nobody","reason":"invalid_client:[^"]+"/,
    /"client":"demo-web","reason":"invalid_grant:[^"]+"/,
    /"client":"demo-dovecot","reason":"wrong_secret"/,
    /"client":"unknown","reason":"invalid_client:[^"]+"/,
    /"client":"unknown","reason":"unknown client"[^\n]*logout refused/,
  ];
  await poll("all lines", () => lines.every((line) => line.test(output()))).catch(() => undefined);
  for (const line of lines) expect(output()).toMatch(line);
  expect(output()).not.toContain("not-the-secret");
});

test("idp prints only JSON lines, even for what libraries print at the start", async () => {
  await poll("the start", () => output().includes('"msg":"ready"'));
  const lines = output()
    .split("\n")
    .filter((line) => line !== "");
  expect(lines.filter((line) => !line.startsWith("{"))).toEqual([]);
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  expect(lines.find((line) => line.includes("oidc-provider"))).toContain('"printed":true');
});

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
