import type { RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { generateKeyPair } from "oauth4webapi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { hiddenFields } from "../../support/browser.ts";
import {
  discover,
  inTurn,
  type MailClient,
  mailScope,
  registerMailClient,
  signedInBrowser,
} from "../../support/mail-client.ts";
import { type OidcStack, startOidcStack, testClients } from "../../support/oidc-stack.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { askInTurn } from "../../support/relying-party.ts";
import { basicAuth } from "../../support/stack.ts";

let oidc: OidcStack;
let redis: RedisClient;

const server = { host: "mail.example.test" };
const submission = { client_id: "submission", client_secret: "submission-secret", grant_types: [], scopes: [] };

beforeAll(async () => {
  oidc = await startOidcStack(
    [
      ...testClients,
      { ...submission, resource_server: true, protocols: ["Submission"] },
      { ...submission, client_id: "radicale", resource_server: true, protocols: ["caldav"] },
    ],
    {
      tokens: { refresh_token_grace: "0s" },
      mail_registration: {
        enabled: true,
        resources: ["imap.example.test"],
        per_minute: 1000,
        max_pending_per_network: 1000,
      },
    },
    {
      oauthbearer: {},
      identity: { mail_clients: { enabled: true, domains: [{ names: ["example.test"], imap: server, smtp: server }] } },
    },
  );
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
});

async function browserOfAlice() {
  return signedInBrowser(oidc, await signedIn(redis, alice.username));
}

async function tokensOf(mail: MailClient, scope = `${mailScope} offline_access`) {
  const browser = await browserOfAlice();
  const consent = await mail.toConsent(browser, { scope });
  return mail.redeem(await browser.submit(consent, { submit: "allow" }));
}

async function login(token: string, protocol = "imap") {
  return askJson(oidc.stack.url, { ...alice, protocol, method: "oauthbearer", password: token });
}

async function introspected(token: string, client: string): Promise<unknown> {
  const headers = { authorization: `Basic ${btoa(`${client}:submission-secret`)}` };
  const { body } = await askInTurn(oidc, "/oidc/introspect", {
    method: "POST",
    headers,
    body: new URLSearchParams({ token }),
  });
  return body["active"];
}

test("the metadata of the mail services leads to the registration endpoint", async () => {
  const fetchInTurn = inTurn(oidc);
  const resource = await (await fetchInTurn(`${oidc.issuer}/.well-known/oauth-protected-resource`)).json();
  expect(resource).toMatchObject({ resource: oidc.issuer, authorization_servers: [oidc.issuer] });
  expect(await discover(oidc)).toMatchObject({
    registration_endpoint: `${oidc.issuer}/oidc/register`,
    scopes_supported: expect.arrayContaining([mailScope, "offline_access"]),
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    protected_resources: [oidc.issuer, "imap.example.test", "mail.example.test"],
  });
});

test("a mail client registers, its user consents, and its token opens the mailbox for the protocols of its scope", async () => {
  const mail = await registerMailClient(oidc);
  const browser = await browserOfAlice();
  const consent = await mail.toConsent(browser);
  expect(consent.text).toContain("Example Mail");
  expect(consent.text).toContain("Its name has not been verified.");
  expect(consent.text).toContain("You will then be sent to <bdi><code>http://127.0.0.1:49152</code></bdi>.");
  const allowed = await browser.submit(consent, { submit: "allow" });
  expect(new URL(allowed.location ?? "").searchParams.get("iss")).toBe(oidc.issuer);
  const tokens = await mail.redeem(allowed);
  expect((await login(tokens.access_token)).status).toBe(200);
  expect((await login(tokens.access_token, "smtp")).status).toBe(200);
  expect((await login(tokens.access_token, "caldav")).status).toBe(403);
  expect(await introspected(tokens.access_token, "submission")).toBe(true);
  expect(await introspected(tokens.access_token, "radicale")).toBe(false);

  // The user consents each time, although the browser has not changed.
  expect((await mail.toConsent(browser)).text).toContain('value="allow"');

  const next = await mail.refresh(tokens.refresh_token ?? "");
  expect(next.refresh_token).not.toBe(tokens.refresh_token);
  expect((await login(next.access_token)).status).toBe(200);
  // A refresh token that was replaced is used again: the whole family ends.
  await expect(mail.refresh(tokens.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });
  await expect(mail.refresh(next.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });
  await poll("the end of the access token", async () => (await login(next.access_token)).status === 403);
});

test("the denial of a token contains the discovery document and the scope", async () => {
  const { status, headers } = await login("A".repeat(43));
  expect(status).toBe(403);
  expect(JSON.parse(headers.get("x-service-oauth-failure") ?? "")).toEqual({
    status: "invalid_token",
    scope: mailScope,
    "openid-configuration": `${oidc.issuer}/.well-known/openid-configuration`,
  });
});

async function introspectedEnds(token: string): Promise<void> {
  await poll("the refusal of the token", async () => (await login(token)).status === 403);
}

test("a user sees each mail client by name among the signed-in devices, and one button ends it", async () => {
  const [phone, desk] = [await registerMailClient(oidc, { client_name: "Phone mail" }), await registerMailClient(oidc)];
  const [ofPhone, ofDesk] = [await tokensOf(phone), await tokensOf(desk)];
  const browser = await browserOfAlice();
  const devices = await browser.get("/mfa/sessions");
  const [, action = ""] =
    /<b><bdi>Phone mail<\/bdi><\/b>[^<]*<.*?Last used: .*?action="([^"]+)"/su.exec(devices.text) ?? [];
  const token = hiddenFields(devices)["csrf_token"] ?? "";
  const ended = await browser.post(action, { csrf_token: token, _method: "DELETE" });
  expect(ended.location).toBe("/mfa/sessions");
  await introspectedEnds(ofPhone.access_token);
  await expect(phone.refresh(ofPhone.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });
  expect((await login(ofDesk.access_token)).status).toBe(200);
  const left = await browser.get("/mfa/sessions");
  expect([left.text.includes("Phone mail"), left.text.includes("Example Mail")]).toEqual([false, true]);
});

test("signing out on all other devices ends all mail clients of the user and of no one else", async () => {
  const [one, other, ofBob] = [
    await registerMailClient(oidc),
    await registerMailClient(oidc),
    await registerMailClient(oidc),
  ];
  const [first, second] = [await tokensOf(one), await tokensOf(other)];
  const bob = signedInBrowser(oidc, await signedIn(redis, "bob@example.test"));
  const bobs = await ofBob.redeem(await bob.submit(await ofBob.toConsent(bob), { submit: "allow" }));
  const browser = await browserOfAlice();
  const devices = await browser.get("/mfa/sessions");
  expect(devices.text).toContain("Sign out on all other devices and in all email apps");
  const csrf_token = hiddenFields(devices)["csrf_token"] ?? "";
  await browser.post("/mfa/sessions", { csrf_token, _method: "DELETE" });
  await introspectedEnds(first.access_token);
  await introspectedEnds(second.access_token);
  await expect(one.refresh(first.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });
  expect((await ofBob.refresh(bobs.refresh_token ?? "")).access_token).toBeDefined();
  expect((await browser.get("/mfa/sessions")).text).not.toContain("Example Mail");
});

test("a request may name the mail services as resource, at every step, and no other resource", async () => {
  const mail = await registerMailClient(oidc);
  const browser = await browserOfAlice();
  const consent = await mail.toConsent(browser, { resource: "imap.example.test" });
  const tokens = await mail.redeem(await browser.submit(consent, { submit: "allow" }), { resource: oidc.issuer });
  expect((await login(tokens.access_token)).status).toBe(200);
  const next = await mail.refresh(tokens.refresh_token ?? "", { resource: "imap://IMAP.example.test" });
  expect((await login(next.access_token)).status).toBe(200);
  const last = await mail.refresh(next.refresh_token ?? "", { resource: "mail.example.test" });
  const foreign = mail.refresh(last.refresh_token ?? "", { resource: "imap.elsewhere.test" });
  await expect(foreign).rejects.toMatchObject({ error: "invalid_target" });
});

test("a token that is bound to a key does not open a mailbox", async () => {
  const mail = await registerMailClient(oidc);
  const browser = await browserOfAlice();
  const allowed = await browser.submit(await mail.toConsent(browser), { submit: "allow" });
  const tokens = await mail.redeem(allowed, {}, await generateKeyPair("ES256"));
  expect(tokens.token_type).toBe("dpop");
  expect((await login(tokens.access_token)).status).toBe(403);
  expect(await introspected(tokens.access_token, "submission")).toBe(false);
});

test("a user cannot end another user's mail client", async () => {
  const mail = await registerMailClient(oidc, { client_name: "Lasting mail" });
  const tokens = await tokensOf(mail);
  const bob = signedInBrowser(oidc, await signedIn(redis, "bob@example.test"));
  const devices = await (await browserOfAlice()).get("/mfa/sessions");
  const [, action = ""] = /<b><bdi>Lasting mail<\/bdi><\/b>.*?action="([^"]+)"/su.exec(devices.text) ?? [];
  const token = hiddenFields(await bob.get("/mfa/sessions"))["csrf_token"] ?? "";
  await bob.post(action, { csrf_token: token, _method: "DELETE" });
  expect((await mail.refresh(tokens.refresh_token ?? "")).access_token).toBeDefined();
});

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${oidc.stack.url}${path}`, { ...init, headers: { authorization: basicAuth } });
}

/** The registrations that operators see. */
async function registeredClients(): Promise<unknown> {
  return (await ask("/api/v1/oidc/clients")).json();
}

test("an operator lists registered clients and deletes one: its tokens end, and it cannot sign in again", async () => {
  const mail = await registerMailClient(oidc, { client_name: "Unwanted mail", software_id: "unwanted" });
  const tokens = await tokensOf(mail);
  const { client_id } = mail.client;
  const { clients }: { clients: readonly Record<string, unknown>[] } = Object(await registeredClients());
  expect(clients.find((client) => client["client_id"] === client_id)).toMatchObject({
    client_name: "Unwanted mail",
    redirect_uris: ["http://127.0.0.1/callback"],
    software_id: "unwanted",
    last_used: expect.any(String),
  });
  expect((await ask(`/api/v1/oidc/clients/${client_id}`, { method: "DELETE" })).status).toBe(204);
  await introspectedEnds(tokens.access_token);
  await expect(mail.refresh(tokens.refresh_token ?? "")).rejects.toMatchObject({ status: 401 });
  expect((await mail.toConsent(await browserOfAlice())).status).toBe(400);
  expect((await ask(`/api/v1/oidc/clients/${client_id}`, { method: "DELETE" })).status).toBe(404);
});

test.each([
  ["a script as redirect URI", { redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
  ["a redirect to another host", { redirect_uris: ["http://127.0.0.1@evil.test/"] }, "invalid_redirect_uri"],
  ["a fragment", { redirect_uris: ["http://127.0.0.1/callback#x"] }, "invalid_redirect_uri"],
  ["a wildcard", { redirect_uris: ["http://127.0.0.1/*"] }, "invalid_redirect_uri"],
  ["a website", { redirect_uris: ["https://evil.test/callback"] }, "invalid_redirect_uri"],
  ["a name that imitates another", { client_name: "Thund\u0435rbird" }, "invalid_client_metadata"],
  ["a name that hides its end", { client_name: "Mail\u202Etxt" }, "invalid_client_metadata"],
  ["scopes of API callers only", { scope: "service:admin openid" }, "invalid_client_metadata"],
  ["the grant of API callers", { grant_types: ["client_credentials"] }, "invalid_client_metadata"],
  ["a secret", { token_endpoint_auth_method: "client_secret_basic" }, "invalid_client_metadata"],
])("a registration with %s is refused and stores nothing", async (_what, change, error) => {
  const before = await registeredClients();
  await expect(registerMailClient(oidc, change)).rejects.toMatchObject({ error, status: 400 });
  expect(await registeredClients()).toEqual(before);
});

test("a registered client can neither skip consent nor PKCE, nor obtain more than it registered", async () => {
  const mail = await registerMailClient(oidc, { scope: mailScope });
  const answer = async (more: Readonly<Record<string, string>>) => {
    const { location = "http://none" } = await mail.toConsent(await browserOfAlice(), more);
    const params = new URL(location).searchParams;
    expect(params.get("iss")).toBe(oidc.issuer);
    return params.get("error");
  };
  expect(await answer({ prompt: "none" })).toBe("consent_required");
  expect(await answer({ code_challenge: "" })).toBe("invalid_request");
  expect(await answer({ code_challenge_method: "plain" })).toBe("invalid_request");
  expect(await answer({ scope: "openid service:admin" })).toBe("invalid_scope");
  expect(await answer({ resource: "https://elsewhere.example.test" })).toBe("invalid_target");
  const tokens = await tokensOf(mail, `${mailScope} openid profile offline_access service:admin`);
  expect(tokens).toMatchObject({ scope: mailScope });
  expect(tokens).not.toHaveProperty("refresh_token");
  expect(tokens).not.toHaveProperty("id_token");
});

test("a refreshed token never has more scopes than the user allowed", async () => {
  const mail = await registerMailClient(oidc, { scope: undefined });
  const tokens = await tokensOf(mail);
  const wider = `${mailScope} ${mailScope.replace(/mail$/u, "contacts")} openid service:admin`;
  const next = await mail.refresh(tokens.refresh_token ?? "", { scope: wider });
  expect(next.scope).toBe(mailScope);
  expect((await login(next.access_token)).status).toBe(200);
  expect((await login(next.access_token, "carddav")).status).toBe(403);
});

test("the redirect URI of a request must be the registered one, except for the port of a loopback address", async () => {
  const mail = await registerMailClient(oidc);
  const statusOf = async (redirect_uri: string) =>
    (await mail.toConsent(await browserOfAlice(), { redirect_uri })).status;
  expect(await statusOf("http://127.0.0.1:50000/callback")).toBe(200);
  for (const uri of [
    "http://127.0.0.1:50000/callback/",
    "http://127.0.0.1:50000/other",
    "http://127.0.0.1:50000/callback?x=1",
    "http://localhost:50000/callback",
    "http://127.0.0.1:50000@evil.test/callback",
    "https://127.0.0.1:50000/callback",
    "http://user@127.0.0.1:50000/callback",
    "http://127.0.0.1:50000/x/../callback",
  ])
    expect([uri, await statusOf(uri)]).toEqual([uri, 400]);
});
