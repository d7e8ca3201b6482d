import { inflateRawSync } from "node:zlib";
import { SAML, type SamlConfig } from "@node-saml/node-saml";
import * as samlify from "samlify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import type { KeyPair } from "./key-pair.ts";
import { logoutByPost } from "./logout-by-post.ts";
import { logoutStartedByIdp } from "./logout-started-by-idp.ts";
import { validateMetadata } from "./metadata-schema.ts";
import { entityId, type SamlStack, slo, sso, startSamlStack } from "./saml-stack.ts";
import { type SoapProvider, startSoapProvider } from "./soap-provider.ts";
import { currentCode } from "./totp.ts";

let saml: SamlStack;
let idpCert = "";
let metadata = "";
let soap: SoapProvider;

const alice = { username: "alice@example.test", password: "alice-demo-password" };
const bob = { username: "bob@example.test", password: "bob-demo-password" };
const relayState = "/page?x=1&y=<2>";
const newBrowser = (): Browser => createBrowser(saml.idp.replicas);
const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

beforeAll(async () => {
  soap = await startSoapProvider();
  saml = await startSamlStack(soap.url);
  const page = await newBrowser().get("/saml/metadata");
  metadata = page.text;
  idpCert = /<ds:X509Certificate>([^<]+)/.exec(metadata)?.[1] ?? "";
});

afterAll(async () => {
  await saml[Symbol.asyncDispose]();
  await soap[Symbol.asyncDispose]();
});

function nodeSaml(issuer: string, callbackUrl: string, more: Partial<SamlConfig> = {}): SAML {
  return new SAML({
    issuer,
    callbackUrl,
    entryPoint: sso,
    logoutUrl: slo,
    idpCert,
    idpIssuer: entityId,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    wantAuthnResponseSigned: true,
    wantAssertionsSigned: true,
    ...more,
  });
}

function signedBy({ key, cert }: KeyPair): Partial<SamlConfig> {
  return { privateKey: key, publicCert: cert, decryptionPvk: key, signatureAlgorithm: "sha256" };
}

const wiki = (keys: KeyPair = saml.sp, more: Partial<SamlConfig> = {}): SAML =>
  nodeSaml("urn:test:signed", "https://wiki.example.test/acs", { ...signedBy(keys), ...more });
const plain = (more: Partial<SamlConfig> = {}): SAML =>
  nodeSaml("urn:test:plain", "https://plain.example.test/acs", more);

/** Opens the identity provider with a request of the service provider and signs in if necessary. @returns the page with the response */
async function visit(browser: Browser, sp: SAML, user: Record<string, string> = alice): Promise<Page> {
  const url = await sp.getAuthorizeUrlAsync(relayState, undefined, {});
  const page = await browser.open(pathOf(url));
  if (hiddenFields(page)["SAMLResponse"] !== undefined || page.status !== 200) return page;
  const answer = await browser.submit(page, user);
  return browser.open(answer.location ?? "");
}

async function profileOf(sp: SAML, page: Page) {
  const { profile } = await sp.validatePostResponseAsync(hiddenFields(page));
  if (profile === null) throw new Error("the response has no profile");
  return profile;
}

describe("metadata", () => {
  test("is valid according to the SAML schemas", async () => {
    expect(await validateMetadata(metadata)).toContain("validates");
  });

  test("lists the accepted algorithms, which do not include SHA-1", () => {
    const named = [...metadata.matchAll(/<alg:(\w+) xmlns:alg="[^"]+" Algorithm="([^"]+)"/g)];
    expect(named.map(([, kind, uri]) => `${kind} ${uri}`)).toContain(
      "SigningMethod http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    );
    expect(named.filter(([, kind]) => kind === "DigestMethod")).toHaveLength(3);
    expect(metadata).not.toContain("sha1");
  });

  test("has the same key on both replicas and is served through the gateway", async () => {
    const answer = await fetch(`${saml.idp.stack.url}/saml/metadata`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/samlmetadata+xml"]);
    expect(await answer.text()).toContain(idpCert);
  });

  test("can be read by samlify", () => {
    const idp = samlify.IdentityProvider({ metadata });
    expect(idp.entityMeta.getSingleSignOnService("redirect")).toBe(sso);
    expect(idp.entityMeta.getSingleLogoutService("post")).toBe(slo);
  });
});

describe("a sign-in", () => {
  test("with node-saml: signed request, encrypted assertion, attributes named by object identifier, unchanged RelayState", async () => {
    const sp = wiki();
    const page = await visit(newBrowser(), sp);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self' https://wiki.example.test");
    expect(hiddenFields(page)["RelayState"]).toBe(relayState);
    const xml = Buffer.from(hiddenFields(page)["SAMLResponse"] ?? "", "base64").toString();
    expect(xml).toContain("http://www.w3.org/2009/xmlenc11#aes256-gcm");
    expect(xml).not.toContain("alice");
    const profile = await profileOf(sp, page);
    expect(profile.issuer).toBe(entityId);
    expect(profile.nameIDFormat).toBe("urn:oasis:names:tc:SAML:2.0:nameid-format:persistent");
    expect(profile.nameID).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(profile["urn:oid:0.9.2342.19200300.100.1.3"]).toBe("alice@example.test");
    expect(Object.keys(profile).join()).not.toContain("password");
  });

  test("is shared by all service providers, and each has its own stable persistent name ID", async () => {
    const browser = newBrowser();
    const first = await profileOf(wiki(), await visit(browser, wiki()));
    const second = await visit(browser, plain());
    const profile = await profileOf(plain(), second);
    expect([profile.nameID, profile["login"]]).toEqual(["alice@example.test", "alice"]);
    const again = await profileOf(wiki(), await visit(newBrowser(), wiki()));
    expect(again.nameID).toBe(first.nameID);
    expect(again.sessionIndex).not.toBe(first.sessionIndex);
  });

  test("with samlify over the POST binding", async () => {
    samlify.setSchemaValidator({ validate: async () => "not needed: node-saml and xmllint validate" });
    const wanting = metadata.replace('RequestsSigned="false"', 'RequestsSigned="true"');
    const idp = samlify.IdentityProvider({ metadata: wanting });
    const sp = samlify.ServiceProvider({
      entityID: "urn:test:signed",
      authnRequestsSigned: true,
      wantAssertionsSigned: true,
      wantMessageSigned: true,
      privateKey: saml.sp.key,
      encPrivateKey: saml.sp.key,
      signingCert: saml.sp.cert,
      isAssertionEncrypted: true,
      signatureConfig: {
        prefix: "ds",
        location: { reference: "/*[local-name(.)='AuthnRequest']/*[local-name(.)='Issuer']", action: "after" },
      },
      requestSignatureAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
      assertionConsumerService: [
        { Binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST", Location: "https://wiki.example.test/acs" },
      ],
    });
    const request = sp.createLoginRequest(idp, "post");
    const browser = newBrowser();
    const redirect = await browser.post("/saml/sso", { SAMLRequest: request.context });
    expect([redirect.status, redirect.location]).toEqual([302, expect.stringMatching(/^\/saml\/sso\?request=/)]);
    const login = await browser.open(redirect.location ?? "");
    const answer = await browser.submit(login, alice);
    const page = await browser.open(answer.location ?? "");
    expect(page.status).toBe(200);
    const profile = await profileOf(wiki(), page);
    expect(profile.inResponseTo).toBe(request.id);
  });

  test("with a second factor is reported as such; a service provider that requires one gets no assertion without it", async () => {
    const sp = nodeSaml("urn:test:mfa", "https://mfa.example.test/acs");
    const browser = newBrowser();
    const choice = await visit(browser, sp, bob);
    const factor = await browser.get(choice.url.replace("/login/mfa", "/login/totp"));
    const answer = await browser.submit(factor, { code: currentCode() });
    const page = await browser.open(answer.location ?? "");
    const { profile } = await sp.validatePostResponseAsync(hiddenFields(page));
    expect(profile?.getAssertionXml?.()).toContain("https://refeds.org/profile/mfa");
    // A user without a second factor must set one up first; cancelling ends the session.
    const without = newBrowser();
    expect((await visit(without, sp, alice)).url).toBe("/mfa/totp/register");
    expect((await without.get("/mfa/register/cancel")).location).toBe("/logged_out");
    expect((await without.get("/mfa/sessions")).status).toBe(401);
  });

  test("is repeated for ForceAuthn and never requested for IsPassive", async () => {
    const browser = newBrowser();
    await visit(browser, plain());
    const forced = await browser.open(
      pathOf(await plain({ forceAuthn: true }).getAuthorizeUrlAsync("", undefined, {})),
    );
    expect(forced.text).toContain("current-password");
    const signedOut = newBrowser();
    const passive = await visit(signedOut, plain({ passive: true }));
    const { profile } = await plain().validatePostResponseAsync(hiddenFields(passive));
    expect(profile).toBeNull();
  });

  test("cannot be used by another service provider, with another key or twice", async () => {
    const page = await visit(newBrowser(), plain());
    const other = nodeSaml("urn:test:other", "https://plain.example.test/acs");
    await expect(other.validatePostResponseAsync(hiddenFields(page))).rejects.toThrow(/audience/i);
    const foreign = plain({ idpCert: saml.unregistered.cert });
    await expect(foreign.validatePostResponseAsync(hiddenFields(page))).rejects.toThrow(/signature/i);
    expect((await newBrowser().get(page.url)).status).toBe(400);
  });
});

const open = async (url: string): Promise<number> => (await newBrowser().get(pathOf(url))).status;

describe("an authentication request", () => {
  test("with another key, no signature, an unknown issuer or address, or a replayed ID is rejected with 400", async () => {
    const good = await wiki().getAuthorizeUrlAsync("", undefined, {});
    expect(await open(await wiki(saml.unregistered).getAuthorizeUrlAsync("", undefined, {}))).toBe(400);
    expect(await open(good.replace(/&SigAlg=.*/, ""))).toBe(400);
    expect(await open(good.replace("sha256", "sha1"))).toBe(400);
    expect(
      await open(await nodeSaml("urn:test:unknown", "https://a.test/").getAuthorizeUrlAsync("", undefined, {})),
    ).toBe(400);
    const elsewhere = nodeSaml("urn:test:plain", "https://evil.example.test/acs");
    expect(await open(await elsewhere.getAuthorizeUrlAsync("", undefined, {}))).toBe(400);
    expect(await open("http://localhost:8080/saml/sso")).toBe(400);
    expect([await open(good), await open(good)]).toEqual([302, 400]);
  });

  test("is accepted once if it is sent 20 times in parallel", async () => {
    const good = await wiki().getAuthorizeUrlAsync("", undefined, {});
    const statuses = await Promise.all(Array.from({ length: 20 }, () => open(good)));
    expect(statuses.filter((status) => status === 302)).toHaveLength(1);
  });
});

function responseOf(location: string): string {
  const message = new URL(location).searchParams.get("SAMLResponse") ?? "";
  return inflateRawSync(Buffer.from(message, "base64")).toString();
}

describe("a logout that a service provider requests", () => {
  test("ends the session, notifies the other service provider by SOAP with retries, and gets a signed response", async () => {
    const browser = newBrowser();
    const profile = await profileOf(wiki(), await visit(browser, wiki()));
    await visit(browser, plain());
    soap.requests.length = 0;
    soap.refuse(1);
    const url = await wiki().getLogoutUrlAsync(profile, "bye", {});
    const answer = await browser.get(pathOf(url));
    expect([answer.status, answer.location]).toEqual([302, expect.stringContaining("https://wiki.example.test/slo?")]);
    expect(soap.requests).toHaveLength(2);
    expect(soap.requests[1]).toContain("alice@example.test");
    const { search } = new URL(answer.location ?? "");
    const query = Object.fromEntries(new URLSearchParams(search));
    const checked = await wiki().validateRedirectAsync(query, search.slice(1));
    expect([checked.loggedOut, query["RelayState"]]).toEqual([true, "bye"]);
    const after = await browser.open(pathOf(await wiki().getAuthorizeUrlAsync("", undefined, {})));
    expect(after.text).toContain("current-password");
  });

  test("reports PartialLogout if another service provider could not be notified", async () => {
    const browser = newBrowser();
    const profile = await profileOf(wiki(), await visit(browser, wiki()));
    await visit(browser, plain());
    soap.refuse(100);
    const waiting = await browser.get(pathOf(await wiki().getLogoutUrlAsync(profile, "", {})));
    const page = waiting.location ?? "";
    expect((await browser.get(page)).headers.get("refresh")).toMatch(/^\d+; url=\/saml\/slo\?logout=/);
    const answer = await browser.get(`${page}&skip=1`);
    soap.refuse(0);
    expect(responseOf(answer.location ?? "")).toContain("status:PartialLogout");
  });

  test("never ends a session of another service provider or name ID", async () => {
    const browser = newBrowser();
    const profile = await profileOf(wiki(), await visit(browser, wiki()));
    const guessed = await newBrowser().get(
      pathOf(await wiki().getLogoutUrlAsync({ ...profile, nameID: "alice@example.test" }, "", {})),
    );
    expect(responseOf(guessed.location ?? "")).toContain("status:UnknownPrincipal");
    const foreign = await newBrowser().get(pathOf(await plain().getLogoutUrlAsync(profile, "", {})));
    expect(responseOf(foreign.location ?? "")).toContain("status:UnknownPrincipal");
    const forged = await newBrowser().get(pathOf(await wiki(saml.unregistered).getLogoutUrlAsync(profile, "", {})));
    expect(forged.status).toBe(400);
    const after = await browser.open(pathOf(await wiki().getAuthorizeUrlAsync("", undefined, {})));
    expect(hiddenFields(after)["SAMLResponse"]).toBeDefined();
  });
});

logoutByPost({
  newBrowser,
  plain: () => plain(),
  signIn: async (browser, sp) => profileOf(sp, await visit(browser, sp)),
});

logoutStartedByIdp({
  newBrowser,
  wiki: (keys) => wiki(keys),
  plain: () => plain(),
  signIn: async (browser, sp) => profileOf(sp, await visit(browser, sp)),
  open,
  soapRequests: () => soap.requests,
  unregistered: () => saml.unregistered,
});
