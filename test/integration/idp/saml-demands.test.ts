import { SAML } from "@node-saml/node-saml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { totpCode } from "../../support/totp-code.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

const entityId = "http://localhost:8080/saml/metadata";
const bob = { username: "bob@example.test", password: "bob-demo-password" };
const carol = { username: "carol@example.test", password: "carol-demo-password" };
let idp: IdpStack;
let idpCert = "";

const demanding = (name: string, demands: object) => ({
  entity_id: `urn:test:${name}`,
  acs_url: `https://${name}.example.test/acs`,
  ...demands,
});

beforeAll(async () => {
  const service_providers = [
    demanding("mfa", { require_mfa: ["totp"] }),
    demanding("level", {
      required_mfa_level: "5",
      mfa_policy: { levels: { totp: 5 } },
      delayed_response: true,
    }),
  ];
  const saml = { enabled: true, entity_id: entityId, persistent_id_secret: "a-secret-of-names-0", service_providers };
  idp = await startIdpStack({ identity: { saml } }, { gateway: false });
  const metadata = await createBrowser(idp.replicas).get("/saml/metadata");
  idpCert = /<ds:X509Certificate>([^<]+)/.exec(metadata.text)?.[1] ?? "";
});

afterAll(() => idp[Symbol.asyncDispose]());

const provider = (name: string): SAML =>
  new SAML({
    issuer: `urn:test:${name}`,
    callbackUrl: `https://${name}.example.test/acs`,
    entryPoint: "http://localhost:8080/saml/sso",
    idpCert,
    idpIssuer: entityId,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
  });

/** Opens the identity provider with a request of the service provider and signs in if necessary. @returns the page after that */
async function visit(browser: Browser, sp: SAML, user: Record<string, string>): Promise<Page> {
  const url = new URL(await sp.getAuthorizeUrlAsync("", undefined, {}));
  const page = await browser.open(`${url.pathname}${url.search}`);
  if (hiddenFields(page)["SAMLResponse"] !== undefined || page.status !== 200) return page;
  const answer = await browser.submit(page, user);
  return browser.open(answer.location ?? "");
}

test("a sign-in continues once the required factor is set up, with the level that the service provider gives it; the factor cannot be removed", async () => {
  const level = provider("level");
  const browser = createBrowser(idp.replicas);
  const setup = await visit(browser, level, carol);
  expect(setup.url).toBe("/mfa/totp/register");
  const secret = (/<code class="secret">([A-Z2-7 ]+)</.exec(setup.text)?.[1] ?? "").replaceAll(" ", "");
  const answer = await browser.submit(setup, { code: totpCode(secret) });
  const page = await browser.open(answer.location ?? "");
  const { profile } = await level.validatePostResponseAsync(hiddenFields(page));
  expect(profile?.getAssertionXml?.()).toContain("https://refeds.org/profile/mfa");
  const { csrf_token = "" } = hiddenFields(await browser.get("/mfa/totp/register"));
  expect((await browser.post("/mfa/totp", { csrf_token, _method: "DELETE" })).status).toBe(400);
  // The factor also satisfies another service provider.
  const again = await visit(browser, provider("mfa"), carol);
  expect(hiddenFields(again)["SAMLResponse"]).toBeDefined();
});

test("for a service provider with delayed_response, a wrong password is reported only after the factor", async () => {
  const level = provider("level");
  const browser = createBrowser(idp.replicas);
  const factor = await visit(browser, level, { ...bob, password: "wrong" });
  expect(factor.url).toMatch(/^\/login\/totp\?/);
  // Uses the next time step, because an earlier test may have used the code of the current one.
  const code = totpCode("JBSWY3DPEHPK3PXP", Math.floor(Date.now() / 30_000) + 1);
  const refused = await browser.submit(factor, { code });
  expect(refused.location).toMatch(/^\/login\?/);
  expect((await browser.open(refused.location ?? "")).text).toContain('role="alert"');
  expect(browser.cookies.has("service_session")).toBe(false);
});
