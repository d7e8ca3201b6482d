import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RedisClient } from "@postern/shared/platform/redis";
import * as client from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type Browser, createBrowser } from "../../support/browser.ts";
import { type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { askInTurn, type Tokens } from "../../support/relying-party.ts";
import { merged, type Tree } from "../../support/stack-config.ts";
import { repository } from "../interop/nginx-setting.ts";

const account = "alice@example.test";
const owned = new AsyncDisposableStack();
let oidc: OidcStack;
let redis: RedisClient;
let browser: Browser;
let redirects: ReadonlyMap<string, string>;

const secretOf = (id: string): string => `${id}-secret-of-letters-and-digits`;

/** The clients of the page, without consent and with secrets of the test. */
async function clientsOfPage(): Promise<readonly Tree[]> {
  const page = await readFile(join(repository, "docs/connect/applications.md"), "utf8");
  const [, block = ""] = /^```yaml\n([^]*?)^```$/m.exec(page) ?? [];
  const { identity } = Object(parse(block));
  return identity.oidc.clients.map((one: Tree) =>
    merged(one, { client_secret: secretOf(String(one["client_id"])), skip_consent: true }),
  );
}

beforeAll(async () => {
  const clients = await clientsOfPage();
  redirects = new Map(clients.map((one) => [String(one["client_id"]), String(Object(one["redirect_uris"])[0])]));
  oidc = owned.use(await startOidcStack(clients));
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
  owned.defer(() => redis.disconnect());
  browser = createBrowser(oidc.replicas);
  const [name = "", sid = ""] = (await signedIn(redis, account)).split("=");
  browser.cookies.set(name, sid);
});

afterAll(() => owned.disposeAsync());

/** Opens the authorization request in the signed-in browser. @returns the parameters at the application's address */
async function authorize(id: string, parameters: Readonly<Record<string, string>>): Promise<URLSearchParams> {
  const redirect_uri = redirects.get(id) ?? "";
  const query = new URLSearchParams({ response_type: "code", client_id: id, redirect_uri, ...parameters });
  const page = await browser.get(`/oidc/authorize?${query.toString()}`, { accept: "text/html" });
  const target = new URL(page.location ?? "", oidc.issuer);
  expect(target.href.startsWith(redirect_uri)).toBe(true);
  return target.searchParams;
}

const basic = (id: string): string => `Basic ${btoa(`${id}:${secretOf(id)}`)}`;

function redeem(form: Readonly<Record<string, string>>, headers: Record<string, string> = {}): Promise<Tokens> {
  return askInTurn(oidc, "/oidc/token", { method: "POST", headers, body: new URLSearchParams(form) });
}

const userinfo = (token: unknown): Promise<Tokens> =>
  askInTurn(oidc, "/oidc/userinfo", { headers: { authorization: `Bearer ${String(token)}` } });

function pkce() {
  const code_verifier = randomBytes(32).toString("base64url");
  const code_challenge = createHash("sha256").update(code_verifier).digest("base64url");
  return { code_verifier, challenge: { code_challenge, code_challenge_method: "S256" } };
}

test("Roundcube: secret in the form, a refresh token without offline_access, nonce and e-mail in each ID token", async () => {
  const answer = await authorize("roundcube", { scope: "openid profile email", state: "s", nonce: "n-1" });
  const form = { client_id: "roundcube", client_secret: secretOf("roundcube") };
  const redirect_uri = redirects.get("roundcube") ?? "";
  const first = await redeem({
    ...form,
    grant_type: "authorization_code",
    code: answer.get("code") ?? "",
    redirect_uri,
  });
  expect(first.body).toMatchObject({ refresh_token: expect.any(String), refresh_expires_in: expect.any(Number) });
  expect(claimsOf(first.body["id_token"])).toMatchObject({ email: account, nonce: "n-1" });
  const next = await redeem({
    ...form,
    grant_type: "refresh_token",
    refresh_token: String(first.body["refresh_token"]),
  });
  expect(next.body).toMatchObject({ refresh_token: expect.any(String), refresh_expires_in: expect.any(Number) });
  expect(claimsOf(next.body["id_token"])).toMatchObject({ nonce: "n-1" });
});

/** SOGo encodes neither values nor spaces. */
function sendRaw(form: string): Promise<Tokens> {
  return askInTurn(oidc, "/oidc/token", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `${form}&client_id=sogo&client_secret=${secretOf("sogo")}`,
  });
}

test("SOGo: a form without encoding, the whole scope at refresh, a sign-out without parameters", async () => {
  const scope = "openid profile email offline_access";
  const answer = await authorize("sogo", { scope, state: "s", sogo_domain: "example.test" });
  const uri = redirects.get("sogo") ?? "";
  const first = await sendRaw(`grant_type=authorization_code&code=${answer.get("code")}&redirect_uri=${uri}`);
  expect(first.status).toBe(200);
  const next = await sendRaw(
    `grant_type=refresh_token&scope=${scope}&refresh_token=${String(first.body["refresh_token"])}`,
  );
  expect(next.body).toMatchObject({ refresh_token: expect.any(String), refresh_expires_in: expect.any(Number) });
  expect((await userinfo(next.body["access_token"])).body["email"]).toBe(account);
  expect((await browser.get("/oidc/logout")).status).toBe(200);
});

test("Nextcloud: e-mail and name in the ID token by the claims parameter", async () => {
  const wanted = { email: null, name: null, sub: { essential: true } };
  const { code_verifier, challenge } = pkce();
  const claims = JSON.stringify({ id_token: wanted, userinfo: wanted });
  const answer = await authorize("nextcloud", {
    scope: "openid email profile",
    state: "s",
    nonce: "n",
    claims,
    ...challenge,
  });
  const redirect_uri = redirects.get("nextcloud") ?? "";
  const form = { client_id: "nextcloud", client_secret: secretOf("nextcloud"), code: answer.get("code") ?? "" };
  const { body } = await redeem({ ...form, grant_type: "authorization_code", redirect_uri, code_verifier });
  expect(claimsOf(body["id_token"])).toMatchObject({ email: account, name: "Alice Example", nonce: "n" });
});

describe("Grafana", () => {
  test("Basic credentials, PKCE, no nonce, and the user from userinfo", async () => {
    const { code_verifier, challenge } = pkce();
    const scope = "openid profile email offline_access";
    const answer = await authorize("grafana", { scope, state: "s", access_type: "online", ...challenge });
    const redirect_uri = redirects.get("grafana") ?? "";
    const form = { grant_type: "authorization_code", code: answer.get("code") ?? "", redirect_uri, code_verifier };
    const { body } = await redeem(form, { authorization: basic("grafana") });
    expect(body).toMatchObject({
      token_type: "Bearer",
      expires_in: expect.any(Number),
      refresh_token: expect.any(String),
    });
    expect((await userinfo(body["access_token"])).body).toMatchObject({
      preferred_username: account,
      name: "Alice Example",
      email: account,
    });
    const again = { grant_type: "refresh_token", refresh_token: String(body["refresh_token"]) };
    expect((await redeem(again, { authorization: basic("grafana") })).status).toBe(200);
  });

  test("after a refused Basic request, its library sends the same code in the form", async () => {
    const answer = await authorize("grafana", { scope: "openid", state: "s" });
    const redirect_uri = redirects.get("grafana") ?? "";
    const form = { grant_type: "authorization_code", code: answer.get("code") ?? "", redirect_uri };
    const refused = await redeem(form, { authorization: `Basic ${btoa("grafana:wrong")}` });
    expect(refused.status).toBe(401);
    const body = { ...form, client_id: "grafana", client_secret: secretOf("grafana") };
    expect((await redeem(body)).status).toBe(200);
  });
});

test.each(["basic", "query"])(
  "GitLab: discovery, code with PKCE and nonce, client_auth_method %s, ID token and userinfo of one subject",
  async (method) => {
    const secret = secretOf("gitlab");
    const auth = method === "basic" ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
    const insecure = { execute: [client.allowInsecureRequests] };
    const party = await client.discovery(new URL(oidc.issuer), "gitlab", secret, auth, insecure);
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const nonce = client.randomNonce();
    const answer = await authorize("gitlab", {
      scope: "openid profile email",
      state: "s",
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
    });
    const url = new URL(`${redirects.get("gitlab")}?${answer.toString()}`);
    const tokens = await client.authorizationCodeGrant(party, url, {
      pkceCodeVerifier,
      expectedNonce: nonce,
      expectedState: "s",
    });
    const subject = tokens.claims()?.sub ?? "";
    expect(await client.fetchUserInfo(party, tokens.access_token, subject)).toMatchObject({
      email: account,
      name: "Alice Example",
    });
  },
);
