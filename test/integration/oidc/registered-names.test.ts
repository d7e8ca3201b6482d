import type { RedisClient } from "@postern/shared/platform/redis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { registerMailClient, signedInBrowser } from "../../support/mail-client.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { answerOf, askInTurn } from "../../support/relying-party.ts";

let oidc: OidcStack;
let redis: RedisClient;

beforeAll(async () => {
  const limits = { enabled: true, per_minute: 1000, max_pending_per_network: 1000 };
  const wiki = { client_id: "wiki", client_secret: "wiki-secret", name: "Wiki", grant_types: [], scopes: [] };
  oidc = await startOidcStack(
    [wiki],
    { mail_registration: limits, dynamic_registration: { ...limits, open: true } },
    { gateway: false },
  );
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
});

type Members = Readonly<Record<string, unknown>>;

async function register(more: Members): Promise<Members> {
  const body = JSON.stringify({ redirect_uris: [callback], scope: "openid profile", ...more });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  const answer = await askInTurn(oidc, "/oidc/register", init);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

const browserOfAlice = async () => signedInBrowser(oidc, await signedIn(redis, alice.username));

function requestOf(client: Members, redirect_uri: string, prompt: string): string {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: String(client["client_id"]),
    redirect_uri,
    scope: "openid profile",
    prompt,
    code_challenge: "7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM",
    code_challenge_method: "S256",
  });
  return `/oidc/authorize?${query.toString()}`;
}

async function consentOf(client: Members, redirectUri = callback) {
  const browser = await browserOfAlice();
  return { browser, page: await browser.open(requestOf(client, redirectUri, "consent")) };
}

/** The error of a request without interaction after the user has consented to the first one. */
async function errorAfterConsent(client: Members, redirectUri: string): Promise<string | null> {
  const { browser, page } = await consentOf(client, redirectUri);
  expect((await browser.submit(page, { submit: "allow" })).location).toContain("code=");
  return answerOf(await browser.open(requestOf(client, redirectUri, "none"))).get("error");
}

const loopback = "http://127.0.0.1/callback";
const otherPort = "http://127.0.0.1:51234/callback";

test("users of a public native client consent each time, whatever its registration states", async () => {
  const redirect_uris = [loopback, "com.example.app:/callback", "https://app.example.test/callback"];
  const publicClient = { token_endpoint_auth_method: "none", redirect_uris };
  const unstated = await register(publicClient);
  expect(unstated).not.toHaveProperty("application_type");
  for (const uri of [otherPort, "com.example.app:/callback"])
    expect(await errorAfterConsent(unstated, uri)).toBe("consent_required");
  expect(await errorAfterConsent(unstated, "https://app.example.test/callback")).toBeNull();
  const web = await register({ ...publicClient, application_type: "web", redirect_uris: [loopback] });
  expect(await errorAfterConsent(web, loopback)).toBe("consent_required");
  expect((await consentOf(web, otherPort)).page.status).toBe(400);
  const confidential = await register({ redirect_uris: [loopback] });
  expect(confidential).toMatchObject({ application_type: "web" });
  expect(await errorAfterConsent(confidential, loopback)).toBeNull();
  expect((await consentOf(confidential, otherPort)).page.status).toBe(400);
});

test("a client that calls itself like an application of the site is shown by where the sign-in leads", async () => {
  const { page } = await consentOf(await register({ client_name: "WIKI" }));
  expect(page.text).not.toContain("WIKI");
  expect(page.text).toContain("Allow http://127.0.0.1:8090 to access");
});

test("a mail client that calls itself like the site is shown by where the sign-in leads, and a check mark is refused", async () => {
  const redirect_uris = ["com.example.mail:/oauth"];
  const mail = await registerMailClient(oidc, { client_name: "P0stern Support", redirect_uris });
  const page = await mail.toConsent(await browserOfAlice(), { redirect_uri: "com.example.mail:/oauth" });
  expect(page.text).not.toContain("P0stern");
  expect(page.text).toContain("Allow com.example.mail to access");
  await expect(registerMailClient(oidc, { client_name: "Courier \u2713" })).rejects.toMatchObject({ status: 400 });
});
