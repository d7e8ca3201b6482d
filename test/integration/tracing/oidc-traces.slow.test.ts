import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser, hiddenFields } from "../../support/browser.ts";
import { type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { startTraceReceiver, type TraceReceiver } from "../../support/trace-receiver.ts";

const traceId = "0af7651916cd43dd8448eb211c80319d";
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const alice = { username: "alice@example.test", password: "alice-demo-password" };
const stranger = { username: "canary-user-77d1@example.test", password: "canary-password-c3f2" };
const machine = { id: "demo-m2m", secret: "demo-m2m-secret" };
const server = { id: "demo-dovecot", secret: "demo-dovecot-secret" };

let receiver: TraceReceiver;
let oidc: OidcStack;

beforeAll(async () => {
  receiver = await startTraceReceiver();
  const observability = { tracing: { enabled: true, endpoint: receiver.url, sampler_ratio: 0 } };
  oidc = await startOidcStack(
    undefined,
    {},
    { shape: "five", http: { trusted_proxies: ["127.0.0.1"] }, more: { observability } },
  );
});

afterAll(async () => {
  await oidc[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

function post(path: string, { id, secret }: typeof machine, body: Readonly<Record<string, string>>) {
  return fetch(`${oidc.issuer}${path}`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}`, traceparent },
    body: new URLSearchParams(body),
  });
}

const names = (): readonly string[] =>
  receiver.spans.filter((span) => span.traceId === traceId).map(({ service, name }) => `${service} ${name}`);

test("tokens, introspection and sign-ins are in the trace of a trusted proxy, without secrets, tokens and names of users", async () => {
  const issued = await post("/oidc/token", machine, { grant_type: "client_credentials", scope: "service:security" });
  const { access_token: token } = Object(await issued.json());
  expect(issued.status).toBe(200);
  const introspected = await post("/oidc/introspect", server, { token });
  expect(await introspected.json()).toMatchObject({ active: true });
  for (const user of [stranger, alice]) {
    const browser = createBrowser([oidc.stack.url]);
    const page = await browser.open("/mfa/register/home");
    await browser.send(page.url, {
      method: "POST",
      body: new URLSearchParams({ ...hiddenFields(page), ...user }),
      headers: { traceparent },
    });
  }
  const expected = ["postern-idp POST /login", "postern-auth-engine auth-engine/authenticate"];
  await expect.poll(names).toEqual(expect.arrayContaining(expected));
  // The provider's paths have one pattern together.
  for (const service of ["gateway", "idp"]) {
    const spans = (): number => names().filter((name) => name.startsWith(`postern-${service} POST /oidc`)).length;
    await poll(`the spans of both requests in ${service}`, () => spans() === 2);
  }
  await poll("both sign-ins", () => names().filter((name) => name === "postern-idp POST /login").length === 2);
  expect(names().filter((name) => name.startsWith("postern-idp redis ")).length).toBeGreaterThan(0);
  const text = receiver.texts.join("\n");
  const canaries = [token, machine.secret, server.secret, ...Object.values(stranger), ...Object.values(alice)];
  expect(canaries.filter((canary) => text.includes(canary))).toEqual([]);
});
