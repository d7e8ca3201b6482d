import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser } from "../../support/browser.ts";
import { type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";

let oidc: OidcStack;
const output = (): string => oidc.processes.map((process) => process.output()).join("\n");

beforeAll(async () => {
  oidc = await startOidcStack(undefined, {}, { gateway: false });
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
