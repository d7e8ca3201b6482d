import type { RedisClient } from "@postern/shared/redis";
import { pause } from "@postern/shared/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Browser, createBrowser } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { answerOf, askInTurn, type RelyingParty, relyingParty } from "../../support/relying-party.ts";

const users = ["openid", "profile", "email", "offline_access"];

let oidc: OidcStack;
let redis: RedisClient;
let browser: Browser;
let first: RelyingParty;

beforeAll(async () => {
  const rules = { redirect_uris: [callback], scopes: users };
  oidc = await startOidcStack([
    { ...rules, client_id: "first", client_secret: "first-secret", skip_consent: true },
    { ...rules, client_id: "asking", client_secret: "asking-secret" },
  ]);
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
  first = relyingParty(oidc, "first");
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
});

beforeEach(async () => {
  browser = createBrowser(oidc.replicas);
  const [name = "", sid = ""] = (await signedIn(redis, "alice@example.test")).split("=");
  browser.cookies.set(name, sid);
});

const form = (body: Record<string, string>) => ({
  method: "POST",
  headers: { authorization: `Basic ${btoa("first:first-secret")}` },
  body: new URLSearchParams(body),
});

describe("errors of authorization requests (RFC 6749 §4.1.2.1)", () => {
  test.each([
    ["no client", { client_id: "" }],
    ["an unknown client", { client_id: "nobody" }],
    ["no redirect URI", { redirect_uri: "" }],
    ["no response type", { response_type: "" }],
    ["another response type", { response_type: "token" }],
  ])("%s is a 400 page", async (_what, more) => {
    const page = await first.authorize(browser, more);
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect(page.headers.get("content-type")).toContain("text/html");
  });

  test.each([
    ["invalid_request", { prompt: "none login" }],
    ["invalid_request", { max_age: "-1" }],
    ["invalid_request", { code_challenge_method: "plain" }],
    ["invalid_request", { claims: "no json" }],
    ["request_not_supported", { request: "e30.e30." }],
    ["consent_required", { client_id: "asking", prompt: "none" }],
    ["invalid_target", { resource: "https://elsewhere.example/" }],
  ])("%s goes to the client, with state and iss", async (error, more) => {
    const page = await first.authorize(browser, more);
    expect(page.status).toBe(302);
    expect(Object.fromEntries(answerOf(page))).toMatchObject({ error, state: "state-1", iss: oidc.issuer });
  });

  test("a session that is gone is no session", async () => {
    await redis.flushall();
    expect((await first.authorize(browser)).location).toContain("/login");
  });
});

describe("without Redis", () => {
  test("every route says 500 in bounded time, and serves again afterwards", async () => {
    const server = oidc.stack.redis;
    if (server === undefined) throw new Error("no Redis");
    await pause(server);
    const token = "x".repeat(43);
    const began = performance.now();
    const answers = await Promise.all([
      askInTurn(oidc, "/oidc/token", form({ grant_type: "refresh_token", refresh_token: token })),
      askInTurn(oidc, "/oidc/introspect", form({ token })),
      askInTurn(oidc, "/oidc/revoke", form({ token })),
      first.userinfo(token),
      askInTurn(oidc, "/oidc/par", form({ response_type: "code", redirect_uri: callback, scope: "openid" })),
    ]);
    const pages = await Promise.all([
      first.authorize(browser),
      browser.get("/oidc/logout"),
      browser.get("/oidc/device/verify"),
    ]);
    expect(performance.now() - began).toBeLessThan(10_000);
    server.signal("SIGCONT");
    expect(answers.map(({ status, body }) => [status, body["error"]])).toEqual(
      answers.map(() => [500, "server_error"]),
    );
    for (const { status, location } of pages) expect([status, location]).toEqual([500, undefined]);
    await expect
      .poll(async () => (await askInTurn(oidc, "/oidc/introspect", form({ token }))).status, { timeout: 8000 })
      .toBe(200);
  });
});
