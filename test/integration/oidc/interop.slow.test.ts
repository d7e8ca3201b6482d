import { execFile } from "node:child_process";
import { chmod, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import type { RedisClient } from "@postern/shared/platform/redis";
import { type Dovecot, scratchFolder, spawnDovecot } from "@postern/testing";
import * as client from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, createBrowser } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { answerOf, askInTurn, relyingParty } from "../../support/relying-party.ts";
import { repository } from "../interop/nginx-setting.ts";

const account = "alice@example.test";
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const after = "https://mail.example.test/bye";
const users = ["openid", "profile", "email", "offline_access"];
const run = promisify(execFile);
const owned = new AsyncDisposableStack();

let oidc: OidcStack;
let redis: RedisClient;
let browser: Browser;

beforeAll(async () => {
  const rules = { redirect_uris: [callback], scopes: users, skip_consent: true, post_logout_redirect_uris: [after] };
  oidc = owned.use(
    await startOidcStack([
      { ...rules, client_id: "library", client_secret: "library-secret" },
      { ...rules, client_id: "bound", client_secret: "bound-secret", dpop_bound_access_tokens: true },
      { client_id: "terminal", scopes: users, grant_types: [deviceGrant] },
      {
        client_id: "m2m",
        client_secret: "m2m-secret",
        scopes: ["service:authenticate"],
        grant_types: ["client_credentials"],
      },
      {
        ...rules,
        client_id: "webmail",
        client_secret: "webmail-secret",
        scopes: ["openid", "email"],
        always_issue_refresh_token: true,
        allow_refresh_token_combined_client_auth: true,
        id_token_claims: { mappings: [{ claim: "email", attribute: "mail" }] },
      },
      { ...rules, client_id: "imap", client_secret: "imap-secret", access_token_type: "jwt", access_token_typ: "JWT" },
      { client_id: "dovecot", client_secret: "dovecot-secret", resource_server: true, scopes: [], grant_types: [] },
    ]),
  );
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
  owned.defer(() => redis.disconnect());
  browser = createBrowser(oidc.replicas);
  const [name = "", sid = ""] = (await signedIn(redis, account)).split("=");
  browser.cookies.set(name, sid);
});

afterAll(() => owned.disposeAsync());

const insecure = { execute: [client.allowInsecureRequests] };

function discover(id: string, secret?: string): Promise<client.Configuration> {
  return client.discovery(new URL(oidc.issuer), id, secret, secret === undefined ? client.None() : undefined, insecure);
}

/** Opens the address in the signed-in browser. @returns where it is redirected */
async function visit(url: URL): Promise<URL> {
  const page = await browser.get(`${url.pathname}${url.search}`, { accept: "text/html" });
  return new URL(page.location ?? "", oidc.issuer);
}

async function request() {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const checks = { pkceCodeVerifier, expectedState: client.randomState(), expectedNonce: client.randomNonce() };
  const parameters = {
    redirect_uri: callback,
    scope: users.join(" "),
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  };
  return { checks, parameters };
}

describe("a certified relying party (openid-client)", () => {
  test("uses a pushed request, a code with PKCE, refresh, userinfo and revocation", async () => {
    const party = await discover("library", "library-secret");
    const { checks, parameters } = await request();
    const tokens = await client.authorizationCodeGrant(
      party,
      await visit(await client.buildAuthorizationUrlWithPAR(party, parameters)),
      checks,
    );
    const next = await client.refreshTokenGrant(party, tokens.refresh_token ?? "");
    expect(await client.fetchUserInfo(party, next.access_token, account)).toMatchObject({ email: account });
    await client.tokenRevocation(party, next.refresh_token ?? "");
    expect((await client.tokenIntrospection(party, next.access_token)).active).toBe(false);
  });

  test("gets userinfo for a token bound to a key (DPoP) only with the proof", async () => {
    const party = await discover("bound", "bound-secret");
    const DPoP = client.getDPoPHandle(party, await client.randomDPoPKeyPair("ES256"));
    const { checks, parameters } = await request();
    const url = await visit(client.buildAuthorizationUrl(party, parameters));
    const tokens = await client.authorizationCodeGrant(party, url, checks, undefined, { DPoP });
    expect(tokens.token_type).toBe("dpop");
    expect(await client.fetchUserInfo(party, tokens.access_token, account, { DPoP })).toMatchObject({ sub: account });
    expect((await relyingParty(oidc, "bound").userinfo(tokens.access_token)).status).toBe(401);
  });

  test("completes the device flow", async () => {
    const party = await discover("terminal");
    const answer = await client.initiateDeviceAuthorization(party, { scope: "openid email" });
    const page = await browser.get("/oidc/device/verify");
    const entered = await browser.submit(page, { user_code: answer.user_code });
    const consent = await browser.get(entered.location ?? "");
    await browser.submit(consent, { submit: "allow" });
    const tokens = await client.pollDeviceAuthorizationGrant(party, answer);
    expect(tokens.claims()).toMatchObject({ sub: account });
  });

  test("gets a client credentials token with a scope, and invalid_scope without", async () => {
    const party = await discover("m2m", "m2m-secret");
    const tokens = await client.clientCredentialsGrant(party, { scope: "service:authenticate" });
    expect(tokens.scope).toBe("service:authenticate");
    await expect(client.clientCredentialsGrant(party)).rejects.toMatchObject({ error: "invalid_scope" });
  });

  test("signs out", async () => {
    const party = await discover("library", "library-secret");
    const { checks, parameters } = await request();
    const tokens = await client.authorizationCodeGrant(
      party,
      await visit(client.buildAuthorizationUrl(party, parameters)),
      checks,
    );
    const other = createBrowser(oidc.replicas);
    const url = client.buildEndSessionUrl(party, {
      id_token_hint: tokens.id_token ?? "",
      post_logout_redirect_uri: after,
      state: "bye",
    });
    expect((await other.get(`${url.pathname}${url.search}`)).location).toBe(`${after}?state=bye`);
  });
});

describe("the requests of webmail programs", () => {
  test("Roundcube: secret in the form, refresh token and its lifetime without offline_access, nonce after refresh, email", async () => {
    const party = relyingParty(oidc, "webmail");
    const { body } = await party.redeem(await party.authorize(browser, { scope: "openid email" }));
    expect(body).toMatchObject({ refresh_token: expect.any(String), refresh_expires_in: expect.any(Number) });
    expect(claimsOf(body["id_token"])).toMatchObject({ email: account, nonce: "nonce-1", aud: "webmail" });
    const form = {
      grant_type: "refresh_token",
      refresh_token: String(body["refresh_token"]),
      client_id: "webmail",
      client_secret: "webmail-secret",
      code_verifier: "left over",
    };
    const post = (headers: Record<string, string> = {}) =>
      askInTurn(oidc, "/oidc/token", { method: "POST", headers, body: new URLSearchParams(form) });
    const basic = { authorization: `Basic ${btoa("webmail:webmail-secret")}` };
    const [one, two] = await Promise.all([post(), post(basic)]);
    for (const { body: next } of [one, two]) {
      expect(next).toMatchObject({ refresh_token: expect.any(String), refresh_expires_in: expect.any(Number) });
      expect(claimsOf(next["id_token"])["nonce"]).toBe("nonce-1");
    }
    expect(one.body["refresh_token"]).toBe(two.body["refresh_token"]);
  });

  test("SOGo: full scope with unencoded spaces at refresh, userinfo, an additional parameter", async () => {
    const party = relyingParty(oidc, "webmail");
    const { body } = await party.redeem(await party.authorize(browser, { scope: "openid email", sogo_domain: "x" }));
    const form = `grant_type=refresh_token&scope=openid profile email&client_id=webmail&client_secret=webmail-secret&refresh_token=${String(body["refresh_token"])}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const next = await askInTurn(oidc, "/oidc/token", { method: "POST", headers, body: form });
    expect([next.status, next.body["scope"]]).toEqual([200, "openid email"]);
    expect((await party.userinfo(next.body["access_token"])).body["email"]).toBe(account);
  });

  test("Nextcloud: the claims parameter, Basic credentials without form encoding", async () => {
    const wanted = { email: null, name: null, sub: { essential: true } };
    const claims = JSON.stringify({ id_token: wanted, userinfo: wanted });
    const party = relyingParty(oidc, "library");
    const page = await party.authorize(browser, { scope: "openid email profile", claims });
    expect(answerOf(page).get("code")).toEqual(expect.any(String));
    const { body } = await party.redeem(page);
    expect(claimsOf(body["id_token"])).toMatchObject({ email: account, name: "Alice Example" });
  });
});

async function imapLogin(port: number, token: unknown, mechanism = "OAUTHBEARER"): Promise<string> {
  const bearer = `auth=Bearer ${String(token)}\x01\x01`;
  const text = mechanism === "OAUTHBEARER" ? `n,a=${account},\x01${bearer}` : `user=${account}\x01${bearer}`;
  const socket = connect(port, "127.0.0.1");
  let seen = "";
  let isSent = false;
  socket.setEncoding("utf8").setTimeout(15_000, () => socket.destroy());
  for await (const chunk of socket) {
    seen += String(chunk);
    if (!isSent && seen.includes("\r\n")) socket.write(`a AUTHENTICATE ${mechanism} ${btoa(text)}\r\n`);
    else if (seen.includes("\r\n+ ")) socket.write("AQ==\r\n");
    isSent = true;
    if (/^a (?:OK|NO|BAD)/m.test(seen)) break;
  }
  socket.destroy();
  return /^a (OK|NO|BAD).*/m.exec(seen)?.[0] ?? seen;
}

const shipped = (file: string): Promise<string> => readFile(join(repository, "deploy/dovecot", file), "utf8");

async function startDovecot(settings: string): Promise<Dovecot> {
  const config = await shipped("dovecot-oauth2.conf");
  return owned.use(await spawnDovecot({ config, files: { "/etc/dovecot/oauth2.conf.ext": settings } }));
}

async function tokenOf(id: string): Promise<unknown> {
  const party = relyingParty(oidc, id);
  return (await party.redeem(await party.authorize(browser))).body["access_token"];
}

describe("Dovecot", () => {
  test("accepts opaque and signed tokens by introspection, and rejects revoked ones", async () => {
    const settings = (await shipped("oauth2-introspection.conf.ext"))
      .replaceAll("https://id.example.com", oidc.issuer)
      .replace("change-me", "dovecot-secret");
    const { imapPort } = await startDovecot(settings);
    const token = await tokenOf("library");
    expect(await imapLogin(imapPort, token)).toContain("a OK");
    expect(await imapLogin(imapPort, await tokenOf("imap"), "XOAUTH2")).toContain("a OK");
    expect(await imapLogin(imapPort, "nonsense")).toContain("a NO");
    const form = new URLSearchParams({ token: String(token), client_id: "library", client_secret: "library-secret" });
    await askInTurn(oidc, "/oidc/revoke", { method: "POST", body: form });
    expect(await imapLogin(imapPort, token)).toContain("a NO");
  });

  test("verifies signed tokens locally with the public keys in files", async () => {
    const { path: folder } = owned.use(await scratchFolder());
    await chmod(folder, 0o755);
    await run(process.execPath, [join(repository, "deploy/dovecot/export-keys.mjs"), oidc.issuer, folder]);
    const settings = (await shipped("oauth2-local.conf.ext"))
      .replaceAll("https://id.example.com", oidc.issuer)
      .replace("/etc/dovecot/postern-keys", folder);
    const { imapPort } = await startDovecot(settings);
    const token = String(await tokenOf("imap"));
    expect(await imapLogin(imapPort, token)).toContain("a OK");
    expect(await imapLogin(imapPort, `${token.slice(0, -4)}AAAA`)).toContain("a NO");
  });
});
