import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SAML } from "@node-saml/node-saml";
import type { RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { type Browser, createBrowser, hiddenFields } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { answerOf, askInTurn, relyingParty, type Tokens } from "../../support/relying-party.ts";

const scopes = ["openid", "profile", "email", "imap", "offline_access"];
const alice = { username: "alice@example.test", password: "alice-demo-password" };
const rules = { redirect_uris: [callback], scopes };
const clients = [
  { ...rules, client_id: "web", client_secret: "web-secret", skip_consent: true },
  { ...rules, client_id: "signed", client_secret: "signed-secret", skip_consent: true, access_token_type: "jwt" },
  { ...rules, client_id: "asks", client_secret: "asks-secret" },
  {
    client_id: "m2m",
    client_secret: "m2m-secret",
    grant_types: ["client_credentials"],
    scopes: ["service:security", "service:authenticate"],
  },
];
const settings = { custom_scopes: [{ name: "imap", description: "Mail" }], scopes_supported: scopes };

const saml = {
  enabled: true,
  entity_id: "http://localhost:8080/saml/metadata",
  service_providers: [
    { entity_id: "urn:test:wiki", acs_url: "https://wiki.example.test/acs", name_id_format: "persistent" },
    { entity_id: "urn:test:mail", acs_url: "https://mail.example.test/acs", name_id_format: "email" },
  ],
};

let oidc: OidcStack;
let redis: RedisClient;
let backend: DatabaseSync;
let operator: string;

beforeAll(async () => {
  const oauthbearer = { audience: ["web", "signed"], required_scope: ["imap"] };
  oidc = await startOidcStack(clients, settings, { oauthbearer, mapsUniqueId: true, identity: { saml } });
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
  backend = new DatabaseSync(join(oidc.stack.folder, "directory.sqlite"));
  const { body } = await relyingParty(oidc, "m2m").token({
    grant_type: "client_credentials",
    scope: "service:security service:authenticate",
  });
  operator = String(body["access_token"]);
});

afterAll(async () => {
  backend.close();
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
});

beforeEach(() => {
  backend.exec("DELETE FROM users WHERE uid NOT IN ('alice', 'bob', 'carol')");
  backend.exec("UPDATE users SET username = 'alice@example.test', mail = 'alice@example.test' WHERE uid = 'alice'");
});

const newBrowser = (): Browser => createBrowser(oidc.replicas);
const local = (url = ""): string => url.slice(url.startsWith("http") ? new URL(url).origin.length : 0);

/** Sends an authorization request and signs in. @returns the redirect to the client or the consent page */
async function signIn(browser: Browser, clientId: string, user = alice) {
  const party = relyingParty(oidc, clientId);
  const started = await party.authorize(browser, { scope: scopes.join(" "), prompt: "login" });
  const page = await browser.get(local(started.location));
  const accepted = await browser.submit(page, user);
  const resumed = await browser.get(local(accepted.location));
  return { party, resumed };
}

async function tokensOf(clientId: string, user = alice, browser = newBrowser()): Promise<Tokens["body"]> {
  const { party, resumed } = await signIn(browser, clientId, user);
  const { status, body } = await party.redeem(resumed);
  expect([status, answerOf(resumed).get("error")]).toEqual([200, null]);
  return body;
}

const subOf = ({ id_token: token }: Tokens["body"]): unknown => claimsOf(token)["sub"];

async function sessionsOf(userId: string, method = "GET", id?: unknown) {
  const one = id === undefined ? "" : `/${String(id)}`;
  const response = await fetch(`${oidc.issuer}/api/v1/oidc/sessions/${encodeURIComponent(userId)}${one}`, {
    method,
    headers: { authorization: `Bearer ${operator}` },
  });
  const text = await response.text();
  const { sessions = [] }: { sessions?: readonly Readonly<Record<string, unknown>>[] } =
    text === "" ? {} : JSON.parse(text);
  return { status: response.status, sessions };
}

async function introspect(token: unknown): Promise<Tokens["body"]> {
  const body = new URLSearchParams({ token: String(token) });
  const headers = { authorization: `Basic ${btoa("web:web-secret")}` };
  return (await askInTurn(oidc, "/oidc/introspect", { method: "POST", headers, body })).body;
}

async function mailLogin(token: unknown, username = alice.username): Promise<number> {
  const body = { username, password: token, protocol: "imap", method: "xoauth2", client_ip: "203.0.113.9" };
  return (await askJson(oidc.stack.url, body)).status;
}

const refresh = (clientId: string, token: unknown): Promise<Tokens> =>
  relyingParty(oidc, clientId).token({ grant_type: "refresh_token", refresh_token: String(token) });

describe("a subject mapped from the unique user identifier", () => {
  test("is sub in the ID token, userinfo and introspection, where username is still the account", async () => {
    const body = await tokensOf("web");
    expect(subOf(body)).toBe("alice");
    expect((await relyingParty(oidc, "web").userinfo(body["access_token"])).body).toMatchObject({
      sub: "alice",
      email: alice.username,
    });
    expect(await introspect(body["access_token"])).toMatchObject({ sub: "alice", username: alice.username });
    const next = await refresh("web", body["refresh_token"]);
    expect(subOf(next.body)).toBe("alice");
  });

  test("does not let tokens sign in to a mailbox that has the subject as its name", async () => {
    const [opaque, jwt] = [await tokensOf("web"), await tokensOf("signed")];
    expect(claimsOf(jwt["access_token"])).toMatchObject({ sub: "alice", preferred_username: alice.username });
    backend.exec(
      "INSERT INTO users (username, password, display_name, mail, uid) VALUES ('alice', NULL, 'Other', 'o@example.test', 'other')",
    );
    for (const { access_token: token } of [opaque, jwt]) {
      await poll("the keys at the engines", async () => (await mailLogin(token)) === 200);
      expect(await mailLogin(token, "alice")).toBe(403);
    }
  });

  test("does not change when the account is renamed", async () => {
    const before = await tokensOf("web");
    backend.exec("UPDATE users SET username = 'alice.new@example.test' WHERE uid = 'alice'");
    const after = await tokensOf("web", { ...alice, username: "alice.new@example.test" });
    expect([subOf(before), subOf(after)]).toEqual(["alice", "alice"]);
    expect(await introspect(after["access_token"])).toMatchObject({ username: "alice.new@example.test" });
  });

  test("is not inherited, nor session or consent, by a new account with a former user's address", async () => {
    const browser = newBrowser();
    const first = await signIn(browser, "asks");
    const consent = await browser.get(local(first.resumed.location));
    expect(consent.text).toContain(alice.username);
    const allowed = await browser.submit(consent, { submit: "allow" });
    expect(subOf((await first.party.redeem(allowed)).body)).toBe("alice");
    backend.exec("UPDATE users SET username = 'gone@example.test' WHERE uid = 'alice'");
    backend.exec(
      "INSERT INTO users (username, password, display_name, mail, uid) SELECT 'alice@example.test', password, 'Heir', 'h@example.test', 'heir' FROM users WHERE uid = 'alice'",
    );
    const second = await signIn(browser, "asks");
    expect(local(second.resumed.location)).toMatch(/^\/oidc\/consent/);
    expect(subOf(await tokensOf("web", alice, browser))).toBe("heir");
  });

  test("can be used by operators, like the account name, to list and end sessions", async () => {
    const bodies = [await tokensOf("web"), await tokensOf("signed")];
    for (const name of [alice.username, "alice"]) {
      const { sessions } = await sessionsOf(name);
      expect(sessions.map(({ user_id, username }) => `${String(user_id)} ${String(username)}`)).toContain(
        `alice ${alice.username}`,
      );
    }
    const { sessions: listed } = await sessionsOf(alice.username);
    const one = listed.find(({ client_id: client }) => client === "signed")?.["id"];
    expect((await sessionsOf(alice.username, "DELETE", one)).status).toBe(204);
    expect((await introspect(bodies[1]?.["access_token"]))["active"]).toBe(false);
    expect((await sessionsOf(alice.username, "DELETE")).status).toBe(204);
    for (const { access_token: token } of bodies) expect((await introspect(token))["active"]).toBe(false);
    expect((await sessionsOf(alice.username)).sessions).toEqual([]);
  });

  test("does not replace the subject of sessions from an earlier version, which operators can still end", async () => {
    const browser = newBrowser();
    const [name = "", sid = ""] = (await signedIn(redis, alice.username)).split("=");
    browser.cookies.set(name, sid);
    const party = relyingParty(oidc, "web");
    const { body } = await party.redeem(await party.authorize(browser));
    const now = await tokensOf("web");
    expect([subOf(body), subOf(now)]).toEqual([alice.username, "alice"]);
    const next = await refresh("web", body["refresh_token"]);
    expect(subOf(next.body)).toBe(alice.username);
    expect((await sessionsOf(alice.username, "DELETE")).status).toBe(204);
    for (const token of [next.body["access_token"], now["access_token"]]) {
      expect((await introspect(token))["active"]).toBe(false);
    }
  });

  test("does not prevent the user from disconnecting an application", async () => {
    const browser = newBrowser();
    const body = await tokensOf("web", alice, browser);
    const page = await browser.get("/mfa/applications");
    expect(page.text).toContain("/mfa/application/web");
    const gone = await browser.submit(page, {});
    expect(gone.status).toBe(302);
    expect((await introspect(body["access_token"]))["active"]).toBe(false);
  });

  test("is missing for an account without the identifier: the client receives server_error, and the reason is logged", async () => {
    backend.exec(
      "INSERT INTO users (username, password, display_name, mail, uid) SELECT 'none@example.test', password, 'None', 'n@example.test', '' FROM users WHERE uid = 'alice'",
    );
    const browser = newBrowser();
    const { resumed } = await signIn(browser, "web", { ...alice, username: "none@example.test" });
    expect(answerOf(resumed).get("error")).toBe("server_error");
    expect((await browser.get("/mfa/register/home")).status).toBe(200);
    const silent = await relyingParty(oidc, "web").authorize(browser, { prompt: "none" });
    expect(answerOf(silent).get("error")).toBe("login_required");
    const reason = /"account":"none@example.test","client":"web"[^\n]*unique_user_id_field/;
    await poll("the reason in the log", async () => oidc.processes.some((process) => reason.test(process.output())));
  });

  test.each([
    ["urn:test:wiki", "wiki", "none@example.test", "persistent", /unique_user_id_field/],
    ["urn:test:mail", "mail", "none", "email", /address/],
  ])(
    "the SAML service provider %s receives InvalidNameIDPolicy if the account has no name ID, and the reason is logged",
    async (issuer, site, username, kind, reason) => {
      backend
        .prepare(
          "INSERT INTO users (username, password, display_name, mail, uid) SELECT ?, password, 'None', '', '' FROM users WHERE uid = 'alice'",
        )
        .run(username);
      const sp = new SAML({
        issuer,
        callbackUrl: `https://${site}.example.test/acs`,
        entryPoint: "http://localhost:8080/saml/sso",
        idpCert: "unused",
        identifierFormat: null,
        disableRequestedAuthnContext: true,
      });
      const browser = newBrowser();
      const loginPage = await browser.open(local(await sp.getAuthorizeUrlAsync("", undefined, {})));
      const accepted = await browser.submit(loginPage, { ...alice, username });
      const answer = hiddenFields(await browser.open(accepted.location ?? ""))["SAMLResponse"] ?? "";
      expect(Buffer.from(answer, "base64").toString()).toContain("status:InvalidNameIDPolicy");
      const lines = () =>
        oidc.processes
          .flatMap((process) => process.output().split("\n"))
          .filter((line) => line.includes("no SAML name ID for the account") && line.includes(`"client":"${issuer}"`));
      await poll("the log line", async () => lines().length > 0);
      expect(JSON.parse(lines()[0] ?? "")).toMatchObject({
        account: username,
        nameId: kind,
        reason: expect.stringMatching(reason),
      });
    },
  );

  describe("an account whose name is another account's subject", () => {
    const namesake = { ...alice, username: "alice" };

    beforeEach(() => {
      backend.exec(
        "INSERT INTO users (username, password, display_name, mail, uid) SELECT 'alice', password, 'Namesake', 'n@example.test', 'namesake' FROM users WHERE uid = 'alice'",
      );
    });

    test("can be named by operators without affecting the other account", async () => {
      const [hers, theirs] = [await tokensOf("web"), await tokensOf("web", namesake)];
      expect([subOf(hers), subOf(theirs)]).toEqual(["alice", "namesake"]);
      const [{ id = "" } = {}] = (await sessionsOf(alice.username)).sessions;
      expect((await sessionsOf("alice", "DELETE", id)).status).toBe(403);
      expect((await sessionsOf("alice")).sessions.map(({ user_id: id }) => id)).toEqual(["namesake"]);
      expect((await sessionsOf("alice", "DELETE")).status).toBe(204);
      expect((await introspect(theirs["access_token"]))["active"]).toBe(false);
      expect((await introspect(hers["access_token"]))["active"]).toBe(true);
    });

    test("cannot see or disconnect the other account's applications", async () => {
      const [hers, browser] = [await tokensOf("web"), newBrowser()];
      await tokensOf("signed", namesake, browser);
      const page = await browser.get("/mfa/applications");
      expect(page.text).toContain("/mfa/application/signed");
      expect(page.text).not.toContain("/mfa/application/web");
      const { csrf_token: token = "" } = hiddenFields(page);
      await browser.post("/mfa/application/web", { csrf_token: token, _method: "DELETE" });
      expect((await introspect(hers["access_token"]))["active"]).toBe(true);
    });
  });

  test("signing in again adds the missing subject to a session", async () => {
    const account = "late@example.test";
    backend.exec(
      `INSERT INTO users (username, password, display_name, mail, uid) SELECT '${account}', password, 'Late', 'l@example.test', '' FROM users WHERE uid = 'alice'`,
    );
    const [browser, late] = [newBrowser(), { ...alice, username: account }];
    expect(answerOf((await signIn(browser, "web", late)).resumed).get("error")).toBe("server_error");
    backend.exec(`UPDATE users SET uid = username WHERE username = '${account}'`);
    expect(subOf(await tokensOf("web", late, browser))).toBe(account);
  });
});
