import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf } from "../../support/oidc-user.ts";
import { askInTurn, relyingParty } from "../../support/relying-party.ts";

const scopes = ["openid", "profile", "email"];
const mappings = [
  { claim: "email_verified", constant: true },
  { claim: "phone_number_verified", constant: true },
  { claim: "tier", constant: 3 },
];
// The attribute is a name, which is not a boolean, and the mapping has no `type`.
const unreadable = { mappings: [{ claim: "email_verified", attribute: "displayName" }] };
const byAttribute = { id_token_claims: unreadable, access_token_claims: unreadable };
const alice = { username: "alice@example.test", password: "alice-demo-password" };
const local = (url = ""): string => url.slice(url.startsWith("http") ? new URL(url).origin.length : 0);

let oidc: OidcStack;

beforeAll(async () => {
  const rules = { redirect_uris: [callback], scopes, skip_consent: true, id_token_claims: { mappings } };
  oidc = await startOidcStack(
    [
      { ...rules, client_id: "web", client_secret: "web-secret" },
      {
        ...rules,
        client_id: "signed",
        client_secret: "signed-secret",
        access_token_type: "jwt",
        access_token_claims: { mappings },
      },
      { ...rules, client_id: "mapped", client_secret: "mapped-secret", ...byAttribute },
    ],
    {},
    { gateway: false },
  );
});

afterAll(() => oidc[Symbol.asyncDispose]());

/** Signs in with a code. @returns the claims in each token and response */
async function releasedClaims(clientId: string, scope: string) {
  const browser = createBrowser(oidc.replicas);
  const party = relyingParty(oidc, clientId);
  const page = await browser.get(local((await party.authorize(browser, { scope })).location));
  const accepted = await browser.submit(page, alice);
  const { body } = await party.redeem(await browser.get(local(accepted.location)));
  const token = body["access_token"];
  const introspection = await askInTurn(oidc, "/oidc/introspect", {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientId}-secret`)}` },
    body: new URLSearchParams({ token: String(token) }),
  });
  return {
    token,
    idToken: claimsOf(body["id_token"]),
    userinfo: (await party.userinfo(token)).body,
    introspection: introspection.body,
  };
}

test("a constant claim is a JSON boolean or number in the ID token and userinfo, if its scope was granted", async () => {
  const { idToken, userinfo } = await releasedClaims("web", "openid email");
  expect(idToken).toMatchObject({ email_verified: true, tier: 3 });
  expect(userinfo).toMatchObject({ email: alice.username, email_verified: true });
  // Alice has no telephone number.
  expect([idToken, userinfo].filter((claims) => "phone_number_verified" in claims)).toEqual([]);
});

test("a constant claim is not released without its scope", async () => {
  const { idToken, userinfo } = await releasedClaims("web", "openid profile");
  expect(idToken).toMatchObject({ tier: 3 });
  expect([idToken, userinfo].filter((claims) => "email_verified" in claims)).toEqual([]);
});

test("access tokens and introspection contain email_verified only beside email", async () => {
  const { token, introspection } = await releasedClaims("signed", "openid email");
  expect(claimsOf(token)).toMatchObject({ tier: 3 });
  expect(claimsOf(token)).not.toHaveProperty("email_verified");
  expect(introspection).toMatchObject({ email: alice.username, email_verified: true, tier: 3 });
});

test("an attribute that is not a boolean never becomes email_verified, which is logged once", async () => {
  const { idToken, userinfo, introspection } = await releasedClaims("mapped", "openid email");
  expect(userinfo).toMatchObject({ email: alice.username });
  expect([idToken, userinfo, introspection].filter((claims) => "email_verified" in claims)).toEqual([]);
  const warnings = (): readonly string[] =>
    oidc.processes.flatMap((one) =>
      one
        .output()
        .split("\n")
        .filter((line) => line.includes('"msg":"claim omitted')),
    );
  await poll("the warning", () => warnings().length > 0);
  expect(JSON.parse(warnings()[0] ?? "")).toMatchObject({ client: "mapped", claim: "email_verified", type: "boolean" });
  expect(warnings()[0]).not.toContain("Alice");
  expect(warnings().length).toBeLessThanOrEqual(oidc.processes.length);
});

test("discovery lists constant claims", async () => {
  const { body } = await askInTurn(oidc, "/.well-known/openid-configuration");
  // tier belongs to no scope.
  expect(body["claims_supported"]).toEqual(expect.arrayContaining(["tier"]));
});
