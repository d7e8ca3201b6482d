import { generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { RedisClient } from "@postern/shared/platform/redis";
import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import type { Page } from "../../support/browser.ts";
import { signedInBrowser } from "../../support/mail-client.ts";
import { callback, type OidcStack, startOidcStack, testClients } from "../../support/oidc-stack.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { answerOf, askInTurn, type Tokens } from "../../support/relying-party.ts";
import { basicAuth } from "../../support/stack.ts";

let oidc: OidcStack;
let redis: RedisClient;

const initialToken = "an-initial-access-token-of-the-site";
const verifier = "v".repeat(43);
const challenge = "7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM";
const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwk = { ...pair.publicKey.export({ format: "jwk" }), kid: "one", use: "sig", alg: "ES256" };

beforeAll(async () => {
  const server = {
    client_id: "gate",
    client_secret: "gate-secret",
    grant_types: [],
    scopes: [],
    resource_server: true,
  };
  const wiki = {
    ...server,
    client_id: "wiki",
    name: "Wiki",
    initiate_login_uri: "https://wiki.example.test/login?from=idp",
    initiate_login_target: "https://wiki.example.test/start",
  };
  oidc = await startOidcStack(
    [...testClients, wiki, { ...server, registered_clients: true }],
    {
      dynamic_registration: {
        enabled: true,
        initial_access_tokens: [{ name: "staff", token: initialToken }],
        per_minute: 1000,
        max_pending_per_network: 1000,
        jwks_networks: ["127.0.0.1"],
      },
    },
    { shape: "five" },
  );
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
});

type Members = Readonly<Record<string, unknown>>;

async function send(path: string, method: string, token: unknown, body?: Members): Promise<Tokens> {
  const headers = { authorization: `Bearer ${String(token)}`, "content-type": "application/json" };
  return askInTurn(oidc, path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

async function register(more: Members = {}): Promise<Members> {
  const scope = "openid profile email offline_access";
  const grant_types = ["authorization_code", "refresh_token"];
  const body = { client_name: "Example app", redirect_uris: [callback], grant_types, scope, ...more };
  const answer = await send("/oidc/register", "POST", initialToken, body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

async function consentOf(client: Members, more: Readonly<Record<string, string>> = {}) {
  const browser = signedInBrowser(oidc, await signedIn(redis, alice.username));
  const query = new URLSearchParams({
    response_type: "code",
    client_id: String(client["client_id"]),
    redirect_uri: callback,
    scope: "openid profile offline_access",
    prompt: "consent",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...more,
  });
  return { browser, page: await browser.open(`/oidc/authorize?${query.toString()}`) };
}

type Form = Readonly<Record<string, string>>;

async function post(path: string, form: Form, authorization?: string): Promise<Tokens> {
  const headers = authorization === undefined ? {} : { authorization };
  return askInTurn(oidc, path, { method: "POST", headers, body: new URLSearchParams(form) });
}

const basicOf = ({ client_id: id, client_secret: secret }: Members) =>
  `Basic ${btoa(`${String(id)}:${String(secret)}`)}`;
const codeForm = (page: Page): Form => ({
  grant_type: "authorization_code",
  code: answerOf(page).get("code") ?? "",
  redirect_uri: callback,
  code_verifier: verifier,
});

async function signIn(client: Members): Promise<Page> {
  const { browser, page } = await consentOf(client);
  expect(page.text).toContain("Example app");
  return browser.submit(page, { submit: "allow" });
}

const askGateway = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${oidc.stack.url}${path}`, { ...init, headers: { authorization: basicAuth } });

test("discovery contains the endpoint, and a registration needs an initial access token", async () => {
  const { body } = await askInTurn(oidc, "/.well-known/openid-configuration");
  expect(body["registration_endpoint"]).toBe(`${oidc.issuer}/oidc/register`);
  expect(body).not.toHaveProperty("protected_resources");
  expect(await send("/oidc/register", "POST", "wrong", { redirect_uris: [callback] })).toMatchObject({
    status: 401,
    body: { error: "invalid_token" },
  });
});

test("a client with a secret registers, signs users in, refreshes, introspects and revokes at any replica", async () => {
  const client = await register();
  expect(client).toMatchObject({ token_endpoint_auth_method: "client_secret_basic", client_secret_expires_at: 0 });
  const tokens = await post("/oidc/token", codeForm(await signIn(client)), basicOf(client));
  expect(tokens).toMatchObject({ status: 200, body: { id_token: expect.any(String) } });
  const { access_token: access, refresh_token: refresh } = tokens.body;
  for (const replica of [0, 1]) {
    const headers = { authorization: `Bearer ${String(access)}` };
    expect((await oidc.ask(replica, "/oidc/userinfo", { headers })).status).toBe(200);
  }
  const active = async (authorization: string) =>
    (await post("/oidc/introspect", { token: String(access) }, authorization)).body["active"];
  expect(await active(basicOf(client))).toBe(true);
  // Anyone may have registered the client: a mail server is not told that its tokens are valid.
  expect(await active(`Basic ${btoa("demo-dovecot:demo-dovecot-secret")}`)).toBe(false);
  expect(await active(`Basic ${btoa("gate:gate-secret")}`)).toBe(true);
  const next = await post(
    "/oidc/token",
    { grant_type: "refresh_token", refresh_token: String(refresh) },
    basicOf(client),
  );
  expect(next.status).toBe(200);
  expect((await post("/oidc/revoke", { token: String(next.body["refresh_token"]) }, basicOf(client))).status).toBe(200);
  expect(await active(basicOf(client))).toBe(false);
  expect(
    (await post("/oidc/token", codeForm(await signIn(client)), `Basic ${btoa(`${String(client["client_id"])}:no`)}`))
      .body,
  ).toMatchObject({ error: "invalid_client" });
});

async function assertionFor(client: Members): Promise<Form> {
  const id = String(client["client_id"]);
  const assertion = new SignJWT({ jti: randomUUID() }).setProtectedHeader({ alg: "ES256", kid: "one" });
  assertion.setIssuer(id).setSubject(id).setAudience(oidc.issuer).setIssuedAt().setExpirationTime("1m");
  return {
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await assertion.sign(pair.privateKey),
  };
}

test("clients that sign assertions are authenticated with registered and with published keys", async () => {
  const server = createServer((_request, response) => response.end(JSON.stringify({ keys: [jwk] })));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  for (const keys of [{ jwks: { keys: [jwk] } }, { jwks_uri: `http://127.0.0.1:${port}/keys` }]) {
    const client = await register({ token_endpoint_auth_method: "private_key_jwt", ...keys });
    expect(client).not.toHaveProperty("client_secret");
    const form = { ...codeForm(await signIn(client)), ...(await assertionFor(client)) };
    expect(await post("/oidc/token", form)).toMatchObject({ status: 200 });
    const introspection = { token: "x", ...(await assertionFor(client)) };
    expect(await post("/oidc/introspect", introspection)).toMatchObject({ status: 200, body: { active: false } });
  }
  server.close();
  await once(server, "close");
});

test("a client reads, replaces and deletes its registration with its token, and the other replica knows immediately", async () => {
  const client = await register();
  const path = new URL(String(client["registration_client_uri"])).pathname;
  const token = client["registration_access_token"];
  expect(await send(path, "GET", token)).toMatchObject({ status: 200, body: client });
  expect(await send(path, "GET", `${String(token)}x`)).toMatchObject({ status: 401, body: { error: "invalid_token" } });
  const { client_id, client_secret } = client;
  const body = { client_id, client_secret, client_name: "New name", redirect_uris: ["https://app.example.test/cb"] };
  expect(await send(path, "PUT", token, { ...body, client_secret: "another" })).toMatchObject({ status: 400 });
  expect(await send(path, "PUT", token, { ...body, registration_access_token: "x" })).toMatchObject({ status: 400 });
  expect(await send(path, "PUT", token, body)).toMatchObject({
    status: 200,
    body: { client_name: "New name", client_secret, grant_types: ["authorization_code"] },
  });
  for (let round = 0; round < 2; round += 1) expect((await consentOf(client)).page.status).toBe(400);

  expect((await send(path, "DELETE", token)).status).toBe(204);
  for (const method of ["GET", "DELETE"]) expect((await send(path, method, token)).status).toBe(401);
  expect((await consentOf(client, { redirect_uri: "https://app.example.test/cb" })).page.status).toBe(400);
  const refused = await post("/oidc/token", { grant_type: "refresh_token", refresh_token: "x" }, basicOf(client));
  expect(refused).toMatchObject({ status: 401, body: { error: "invalid_client" } });
});

test("users start sign-ins from their page: at the site's applications, and at connected ones that registered themselves", async () => {
  const browser = signedInBrowser(oidc, await signedIn(redis, alice.username));
  const linked = async () => {
    const { text } = await browser.get("/mfa/applications");
    return [...text.matchAll(/<a href="(https:[^"]+)" rel/gu)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));
  };
  const iss = encodeURIComponent(oidc.issuer);
  const target = encodeURIComponent("https://wiki.example.test/start");
  const ofSite = [
    `https://mail.example.test/login?iss=${iss}`,
    `https://wiki.example.test/login?from=idp&iss=${iss}&target_link_uri=${target}`,
  ];
  const client = await register({ initiate_login_uri: "https://app.example.test/start" });
  expect(await linked()).toEqual(ofSite);
  await post("/oidc/token", codeForm(await signIn(client)), basicOf(client));
  expect(await linked()).toEqual([...ofSite, `https://app.example.test/start?iss=${iss}`]);
});

test("default_max_age of a client demands another sign-in if the last one, a minute ago, is older", async () => {
  for (const [default_max_age, mustSignIn] of [
    [30, true],
    [3600, false],
  ] as const) {
    const client = await register({ default_max_age });
    expect(client["default_max_age"]).toBe(default_max_age);
    const { page } = await consentOf(client);
    expect([page.status, page.text.includes('name="password"')]).toEqual([200, mustSignIn]);
  }
});

test("operators list registered clients with their kind, and end them with their tokens", async () => {
  const client = await register({ client_name: "Example app of staff" });
  const tokens = await post("/oidc/token", codeForm(await signIn(client)), basicOf(client));
  const { clients }: { clients: readonly Members[] } = Object(await (await askGateway("/api/v1/oidc/clients")).json());
  expect(clients.find(({ client_id }) => client_id === client["client_id"])).toMatchObject({
    kind: "full",
    initial_access_token: "staff",
    last_used: expect.any(String),
  });
  const path = `/api/v1/oidc/clients/${String(client["client_id"])}`;
  expect((await askGateway(path, { method: "DELETE" })).status).toBe(204);
  const headers = { authorization: `Bearer ${String(tokens.body["access_token"])}` };
  for (const replica of [0, 1]) expect((await oidc.ask(replica, "/oidc/userinfo", { headers })).status).toBe(401);
});

test("without Redis, nothing is a denial: registrations answer 503, and no client is called invalid", async () => {
  await using own = await startOidcStack(testClients, { dynamic_registration: { enabled: true, open: true } });
  const headers = { "content-type": "application/json", authorization: "Bearer x" };
  const body = JSON.stringify({ redirect_uris: [callback] });
  const registered = await own.ask(0, "/oidc/register", { method: "POST", headers, body });
  const client: Members = Object(await registered.json());
  await own.stack.redis?.[Symbol.asyncDispose]();
  const path = new URL(String(client["registration_client_uri"])).pathname;
  headers.authorization = `Bearer ${String(client["registration_access_token"])}`;
  for (const [method, at] of [
    ["POST", "/oidc/register"],
    ["GET", path],
    ["PUT", path],
    ["DELETE", path],
  ] as const) {
    const more = method === "POST" || method === "PUT" ? { body } : {};
    const answer = await own.ask(1, at, {
      method,
      headers: method === "DELETE" || method === "GET" ? { authorization: headers.authorization } : headers,
      ...more,
    });
    expect([method, answer.status, await answer.json()]).toMatchObject([
      method,
      503,
      { error: "temporarily_unavailable" },
    ]);
  }
  const form = { grant_type: "refresh_token", refresh_token: "x" };
  for (const at of ["/oidc/token", "/oidc/introspect", "/oidc/revoke"]) {
    const init = {
      method: "POST",
      headers: { authorization: basicOf(client) },
      body: new URLSearchParams({ ...form, token: "x" }),
    };
    const answer = await own.ask(1, at, init);
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(JSON.stringify(await answer.json())).not.toContain("invalid_client");
  }
});
