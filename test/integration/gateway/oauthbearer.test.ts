import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createRevoker } from "@postern/shared/domain/tokens";
import { pause, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, alice, askJson } from "../../support/ask-json.ts";
import { testRedis } from "../../support/redis-content.ts";
import type { ServiceProcess } from "../../support/service-process.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { merged, redisGivenUpSoon } from "../../support/stack-config.ts";
import { createTokenIssuer, type TokenIssuer } from "../../support/token-issuer.ts";

type Claims = Readonly<Record<string, unknown>>;

const issuerName = "https://idp.example.test";
let owned: AsyncDisposableStack;
let stack: Stack;
let issuer: TokenIssuer;
let jwksFile: string;

/** The settings for tokens of API callers and of users, with the keys in that file. */
function tokenSettings(file: string) {
  return merged(redisGivenUpSoon, {
    auth: {
      backchannel: {
        oidc_bearer: { enabled: true, issuer: issuerName, jwks_file: file, revocation_ttl: "200ms" },
      },
      oauthbearer: { enabled: true, audience: ["mail"], required_scope: ["imap"] },
    },
  });
}

function userToken(claims: Claims = {}): Promise<string> {
  return issuer.token({
    sub: "4711",
    aud: "mail",
    scope: "openid imap",
    client_id: "thunderbird",
    preferred_username: alice.username,
    ...claims,
  });
}

function login(token: string, change: object = {}, url = stack.url): Promise<Answer> {
  return askJson(url, { ...alice, method: "oauthbearer", password: token, ...change });
}

beforeAll(async () => {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await scratchFolder());
  issuer = await createTokenIssuer(issuerName);
  jwksFile = join(folder.path, "jwks.json");
  await writeFile(jwksFile, JSON.stringify(issuer.jwks));
  stack = starting.use(await startStack({ engines: 2, redis: true, settings: tokenSettings(jwksFile) }));
  owned = starting.move();
});

afterAll(() => owned.disposeAsync());

function redisPort(): number {
  if (stack.redis === undefined) throw new Error("no Redis");
  return stack.redis.port;
}

/** How often an engine queried its backends, by outcome. */
async function backendQueries(engine: ServiceProcess): Promise<readonly string[]> {
  return (await engine.metrics()).match(/^service_directory_seconds_count\{.*\} [1-9].*$/gm) ?? [];
}

describe("method oauthbearer or xoauth2: the password field is an access token", () => {
  test.each(["oauthbearer", "OAUTHBEARER", "xoauth2", "XOAUTH2"])(
    "%s: a valid token signs its user in, with the account's attributes",
    async (method) => {
      const token = await userToken();
      for (let count = 0; count < 4; count += 1) {
        const { status, headers, body } = await login(token, { method });
        expect([status, headers.get("auth-status"), headers.get("auth-user")]).toEqual([200, "OK", alice.username]);
        expect(JSON.parse(body)).toMatchObject({ attributes: { mail: [alice.username] } });
      }
    },
  );

  test("accepts a whole SASL message that names the same user", async () => {
    const auth = `\x01auth=Bearer ${await userToken()}\x01\x01`;
    expect((await login(`n,a=${alice.username},${auth}`)).status).toBe(200);
    expect((await login(`user=${alice.username}${auth}`, { method: "xoauth2" })).status).toBe(200);
    expect((await login(`n,a=bob@example.test,${auth}`)).status).toBe(403);
    expect((await login(`user=bob@example.test${auth}`, { method: "xoauth2" })).status).toBe(403);
  });

  test("403 for a SASL message with the scheme DPoP, for which SASL has no proof (RFC 9449 §7.1)", async () => {
    const auth = `\x01auth=DPoP ${await userToken()}\x01\x01`;
    expect((await login(`n,a=${alice.username},${auth}`)).status).toBe(403);
    expect((await login(`user=${alice.username}${auth}`, { method: "xoauth2" })).status).toBe(403);
  });

  test.each([
    ["expired", { exp: 1_700_000_000 }],
    ["issued by another issuer", { iss: "https://other.example.test" }],
    ["issued to another user", { preferred_username: "bob@example.test" }],
    ["of no user", { sub: "thunderbird", preferred_username: undefined }],
    ["for another audience", { aud: "calendar" }],
    ["without the scope", { scope: "openid" }],
    ["for the back channel", { aud: "service:backchannel", scope: "service:authenticate imap" }],
    ["for mail and the back channel", { aud: ["mail", "service:backchannel"] }],
    ["an ID token", { token_type: undefined }],
    ["bound to a key", { cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } }],
    ["bound to a certificate", { cnf: { "x5t#S256": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } }],
  ])("403, as a wrong password: %s", async (_what, claims) => {
    const wrong = await askJson(stack.url, { ...alice, password: "wrong" });
    const { status, headers, body } = await login(await userToken(claims));
    expect([status, body]).toEqual([403, wrong.body]);
    for (const name of ["auth-status", "auth-wait", "auth-user"])
      expect(headers.get(name)).toBe(wrong.headers.get(name));
  });

  test("answers 403 to a broken signature, a password, an empty one, and the token of an unknown user", async () => {
    const token = await userToken();
    expect((await login(`${token.slice(0, -8)}AAAAAAAA`)).status).toBe(403);
    expect((await login(alice.password)).status).toBe(403);
    expect((await login("")).status).toBe(403);
    const username = "nobody@example.test";
    expect((await login(await userToken({ preferred_username: username }), { username })).status).toBe(403);
  });

  test("a token is not accepted as a password, and passwords still work beside it", async () => {
    expect((await login(await userToken(), { method: "plain" })).status).toBe(403);
    expect((await askJson(stack.url, { ...alice, method: "plain" })).status).toBe(200);
    expect((await askJson(stack.url, alice)).status).toBe(200);
  });

  test("a user's token is rejected with 401 as an API caller's token", async () => {
    const scope = "imap service:authenticate";
    for (const [aud, status] of [
      ["mail", 401],
      ["service:backchannel", 200],
    ] as const) {
      const authorization = `Bearer ${await userToken({ aud, scope })}`;
      expect((await askJson(stack.url, alice, { headers: { authorization } })).status).toBe(status);
    }
  });

  test("invalid tokens cause no backend query", async () => {
    const before = await Promise.all(stack.engines.map(backendQueries));
    expect(before.flat()).not.toEqual([]);
    const expired = await userToken({ exp: 1_700_000_000 });
    for (const username of [alice.username, "nobody@example.test"]) {
      for (let count = 0; count < 4; count += 1) expect((await login(expired, { username })).status).toBe(403);
    }
    expect(await Promise.all(stack.engines.map(backendQueries))).toEqual(before);
  });

  test("a denied token, and every token of a user whose epoch rose, is rejected by both engines within revocation_ttl", async () => {
    const redis = await testRedis(redisPort());
    await poll("the test's Redis client", () => redis.status === "ready");
    const revoker = createRevoker(redis, "postern:", { now: () => Date.now() });
    const one = await userToken({ jti: "mail-denied" });
    const users = await userToken({ sub: "epoch-user" });
    for (const token of [one, one, users, users]) expect((await login(token)).status).toBe(200);
    await revoker.deny("mail-denied", Date.now() + 300_000);
    await revoker.denySubject(issuerName, { kind: "user", id: "epoch-user" });
    for (const token of [one, users]) {
      await poll("the token to be rejected", async () => {
        const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => login(token)));
        return answers.every(({ status }) => status === 403);
      });
    }
    redis.disconnect();
  });

  test("while Redis hangs, tokens are answered with 500, never 403; invalid tokens still with 403; passwords still work", async () => {
    const { redis } = stack;
    if (redis === undefined) throw new Error("no Redis");
    const token = await userToken();
    await pause(redis);
    try {
      const { status, headers } = await login(token);
      expect([status, headers.get("auth-status")]).not.toContain("FAIL");
      expect(status).toBe(500);
      expect((await login(await userToken({ exp: 1_700_000_000 }))).status).toBe(403);
      expect((await askJson(stack.url, alice)).status).toBe(200);
    } finally {
      redis.signal("SIGCONT");
    }
    await poll("the token to be accepted", async () => (await login(token)).status === 200);
    const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
    expect(pages.join("\n")).toMatch(/mail_token_checks_total\{outcome="unavailable"\} [1-9]/);
  });
});

test("while keys cannot be read, tokens are answered with 500, never 403; passwords still work; new keys apply within a second", async () => {
  await using folder = await scratchFolder();
  const file = join(folder.path, "later.json");
  await using away = await startStack({ redis: true, settings: tokenSettings(file) });
  const { status, body } = await login(await userToken(), {}, away.url);
  expect(status).toBe(500);
  expect(JSON.parse(body)).toHaveProperty("error");
  expect((await askJson(away.url, alice)).status).toBe(200);
  const headers = { authorization: `Bearer ${await issuer.token()}` };
  expect((await askJson(away.url, alice, { headers })).status).toBe(503);
  const token = await userToken();
  await writeFile(file, JSON.stringify(issuer.jwks));
  await Promise.all([
    poll("the engine to accept the token", async () => (await login(token, {}, away.url)).status === 200),
    poll("the gateway to accept the token", async () => (await askJson(away.url, alice, { headers })).status === 200),
  ]);
});

test("without Redis from the start, engines are ready, tokens are answered with 500, and passwords still work", async () => {
  await using away = await startStack({ settings: tokenSettings(jwksFile) });
  expect((await login(await userToken(), {}, away.url)).status).toBe(500);
  expect((await login(await userToken({ aud: "calendar" }), {}, away.url)).status).toBe(403);
  expect((await askJson(away.url, alice)).status).toBe(200);
});

test("while auth.oauthbearer is disabled, these methods are denied", async () => {
  await using off = await startStack();
  expect((await login(await userToken(), {}, off.url)).status).toBe(403);
  expect((await login(alice.password, { method: "xoauth2" }, off.url)).status).toBe(403);
});
