import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SAML } from "@node-saml/node-saml";
import { poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, browserWith, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { authorize, follow, passwordStep } from "../idp/authorization.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";
import {
  addUser,
  approveDevice,
  change,
  claimsIn,
  codeIn,
  entityId,
  hostsIn,
  introspect,
  look,
  redeem,
  refresh,
  refusedIn,
  serversOf,
  settingsOf,
  setUpTotp,
} from "./idp-site.ts";

const password = "alice-demo-password";
const forOthers = "This application isn’t for your account.";
let idp: IdpStack;
let logoFile = "";
const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 32"><rect width="120" height="32"/></svg>';
const scratch = new AsyncDisposableStack();
let provider: SAML;

beforeAll(async () => {
  logoFile = join(scratch.use(await scratchFolder()).path, "logo.svg");
  await writeFile(logoFile, logo);
  idp = scratch.use(await startIdpStack(settingsOf(logoFile), { engines: 2, gateway: false }));
  for (const name of ["ann@one.test", "bea@two.test", "eve@three.test", "fay@three.test", "gus@unknown.test"]) {
    addUser(idp.directoryFile, name);
  }
  change(
    idp.directoryFile,
    `CREATE TABLE domains (name TEXT, aliases TEXT, enabled TEXT, second_factor TEXT, attributes TEXT, mail TEXT, brand TEXT);
    INSERT INTO domains VALUES ('three.test', 'drei.test', 'true', 'optional', '{"tenant":"third"}',
      '${JSON.stringify(serversOf("three.test"))}', '{"name":"Third Mail"}')`,
  );
  const metadata = await createBrowser(idp.replicas).get("/saml/metadata");
  provider = new SAML({
    issuer: "urn:test:files",
    callbackUrl: "https://files.example.test/acs",
    entryPoint: "http://localhost:8080/saml/sso",
    idpCert: /<ds:X509Certificate>([^<]+)/.exec(metadata.text)?.[1] ?? "",
    idpIssuer: entityId,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
  });
});

afterAll(() => scratch.disposeAsync());

const browser = (): Browser => createBrowser(idp.replicas);
const signIn = (at: Browser, client: string, username: string): Promise<Page> =>
  passwordStep(at, client, { username, password });
async function samlRequest(at: Browser, options: object = {}): Promise<Page> {
  const url = new URL(await provider.getAuthorizeUrlAsync("", undefined, options));
  return at.open(`${url.pathname}${url.search}`);
}

const refusals = () => refusedIn(idp.processes.map((service) => service.output()));

describe("a name", () => {
  test.each(["ann@one.test", "ann@alias.test", "ann@ALIAS.test"])("typed as %s is the account", async (typed) => {
    const at = browser();
    const { body } = await redeem(browser(), "open", codeIn(await signIn(at, "open", typed)));
    expect(claimsIn(body.id_token)).toMatchObject({ sub: "ann@one.test", tenant: "first" });
    expect(await introspect(browser(), body.access_token)).toMatchObject({ active: true, username: "ann@one.test" });
    // A hint with another spelling of the account asks for no other one.
    expect((await authorize(at, "open", { login_hint: "ann@alias.test" })).location).toContain("code=");
    expect((await authorize(at, "open", { login_hint: "bea@two.test" })).url).toMatch(/^\/login\?/);
  });

  test("without a domain gets that of an application for one domain, and stays as it was typed on the page", async () => {
    const at = browser();
    const failed = await passwordStep(at, "limited", { username: "ann", password: "wrong" });
    expect(failed.text).toContain('value="ann"');
    const done = await follow(at, await at.submit(failed, { username: "ann", password }));
    expect(codeIn(done)).not.toBe("");
    expect((await signIn(browser(), "open", "ann")).text).toContain("Incorrect username or password");
  });

  test("of a domain that is not served is denied like an unknown user", async () => {
    expect((await signIn(browser(), "open", "gus@unknown.test")).text).toContain("Incorrect username or password");
  });
});

describe("an application for one domain", () => {
  test("asks others for another account, whether they sign in for it or are signed in, and cancelling leads back to it", async () => {
    const at = browser();
    const page = await signIn(at, "limited", "bea@two.test");
    expect([page.status, page.url, page.text]).toEqual([
      200,
      expect.stringMatching(/^\/login\?/),
      expect.stringContaining(forOthers),
    ]);
    expect(page.text).not.toContain("bea@two.test");
    // The account is signed in, for other applications. A resource server for one domain learns nothing of it.
    const { body } = await redeem(browser(), "open", codeIn(await authorize(at, "open")));
    expect((await introspect(browser(), body.access_token)).username).toBe("bea@two.test");
    expect(await introspect(browser(), body.access_token, "mail-server-of-one")).toEqual({ active: false });
    expect((await authorize(at, "limited", { prompt: "none" })).location).toContain("error=");
    const again = await authorize(at, "limited");
    expect(again.text).toContain(forOthers);
    await poll("the audit lines", () => refusals().length >= 2);
    expect(refusals()[0]).toMatchObject({
      event: "user.login",
      outcome: "denied",
      account: "bea@two.test",
      target: "limited",
      protocol: "oidc",
    });
    const { csrf_token = "" } = hiddenFields(again);
    const cancelled = await follow(at, await at.post("/login/cancel", { csrf_token }));
    expect(cancelled.location).toContain("error=access_denied");
    const own = await follow(at, await at.submit(await authorize(at, "limited"), { username: "ann", password }));
    expect(codeIn(own)).not.toBe("");
  });

  test("gets no tokens of accounts that a change of its domains leaves outside, and SAML and OIDC attributes are those of the domain", async () => {
    const at = browser();
    const { body } = await redeem(browser(), "limited", codeIn(await signIn(at, "limited", "ann@one.test")));
    expect(await introspect(browser(), body.access_token, "mail-server-of-one")).toMatchObject({ active: true });
    const assertion = await samlRequest(at);
    const { profile } = await provider.validatePostResponseAsync(hiddenFields(assertion));
    expect(profile?.["plan"]).toEqual(["mail", "files"]);

    const other = settingsOf(logoFile);
    const [open, limited, ...rest] = other.identity.oidc.clients;
    const moved = { ...limited, domains: ["two.test"] };
    await idp.stack.writeSettings({ identity: { oidc: { clients: [open, moved, ...rest] } } });
    for (const process of idp.processes) process.signal("SIGHUP");
    await poll("the limit", async () => (await introspect(browser(), body.access_token)).active === false);
    expect(await refresh(browser(), "limited", body.refresh_token)).toMatchObject({ body: { error: "invalid_grant" } });
    await idp.stack.writeSettings({});
    for (const process of idp.processes) process.signal("SIGHUP");
    await poll("the limit of before", async () => (await introspect(browser(), body.access_token)).active);
  });

  test("as a SAML service provider asks for another account, and says so to a passive request", async () => {
    const at = browser();
    await signIn(at, "open", "bea@two.test");
    const page = await samlRequest(at);
    expect([page.url, page.text]).toEqual([expect.stringMatching(/^\/login\?/), expect.stringContaining(forOthers)]);
    const answer = await at.submit(page, { username: "ann", password });
    expect(hiddenFields(await at.open(answer.location ?? ""))["SAMLResponse"]).toBeDefined();
    const refused = { account: "bea@two.test", target: "urn:test:files", protocol: "saml" };
    await poll("the audit line", () => refusals().some((line) => line["protocol"] === "saml"));
    expect(refusals()).toContainEqual(expect.objectContaining(refused));
  });
});

test("mail clients find the servers of a domain by its record, from the configuration or the source, and under its aliases", async () => {
  const path = "/.well-known/autoconfig/mail/config-v1.1.xml";
  const settings = async (address: string) =>
    browser().get(`${path}?${new URLSearchParams({ emailaddress: address }).toString()}`);
  for (const [address, domain] of [
    ["ann@one.test", "one.test"],
    ["ann@alias.test", "one.test"],
    ["bea@two.test", "two.test"],
    ["eve@DREI.test", "three.test"],
  ] as const) {
    expect(hostsIn(await settings(address))).toEqual([`imap.${domain}`, `smtp.${domain}`]);
  }
  expect((await settings("ann@alias.test")).text).toContain("<domain>alias.test</domain>");
  const byHost = await browser().get(path, { "x-forwarded-host": "autoconfig.drei.test" });
  expect(hostsIn(byHost)).toEqual(["imap.three.test", "smtp.three.test"]);
  expect((await settings("gus@unknown.test")).status).toBe(404);
  const at = browser();
  await signIn(at, "open", "ann@one.test");
  expect((await at.open("/mfa/mail-client/other")).text).toContain("imap.one.test");
});

describe("the brand of a domain", () => {
  test("is shown for an application of the domain, with its own files and links, on every replica", async () => {
    const at = browser();
    const page = await authorize(at, "limited");
    const { name, stylesheet } = look(page);
    expect(name).toBe("Mail of One");
    expect(page.text).toContain('href="https://help.one.test/"');
    expect(page.text).toContain('href="https://site.test/privacy"');
    const [, image = ""] = /<img src="([^"]+)" alt="Mail of One">/.exec(page.text) ?? [];
    for (const [path, content] of [
      [stylesheet, "#aa2200"],
      [image, logo],
    ] as const) {
      const answers = await Promise.all([at.get(path), at.get(path)]);
      for (const { status, headers, text } of answers) {
        expect([status, headers.get("cache-control"), text]).toEqual([
          200,
          "public, max-age=31536000, immutable",
          expect.stringContaining(content),
        ]);
      }
    }
    for (const domain of ["unknown.test", "", "..", "x".repeat(300)]) {
      const other = stylesheet.replace(/\?.*/, `?${new URLSearchParams({ domain }).toString()}`);
      expect((await at.get(other)).status).toBe(404);
    }
  });

  test("is shown for the name in login_hint, one that was typed, and the session; other pages have that of the site", async () => {
    const at = browser();
    const login = await authorize(at, "open");
    expect(look(login).name).toBe("Example Mail");
    expect(look(await authorize(at, "open", { login_hint: "eve@drei.test" })).name).toBe("Third Mail");
    const german = await authorize(at, "open", { login_hint: "bea@two.test" });
    expect([look(german).name, german.text]).toEqual(["Example Mail", expect.stringContaining('<html lang="de"')]);
    const wrong = await passwordStep(at, "open", { username: "ann@alias.test", password: "wrong" });
    expect(look(wrong).name).toBe("Mail of One");
    await follow(at, await at.submit(wrong, { username: "ann@alias.test", password }));
    for (const path of ["/mfa/register/home", "/oidc/device/verify/success", "/oidc/device/verify/failed"])
      expect(look(await at.open(path)).name).toBe("Mail of One");
    expect(look(await at.open("/logged_out")).name).toBe("Example Mail");
    const refused = await authorize(browser(), "limited", { redirect_uri: "https://other.test/" });
    expect([refused.status, look(refused).name]).toEqual([400, "Mail of One"]);
  });
});

describe("a domain that requires a second factor", () => {
  test("makes its users set one up before anything else, also those who are signed in, and keep it", async () => {
    const at = browser();
    expect(codeIn(await signIn(at, "open", "eve@drei.test"))).not.toBe("");
    expect((await at.open("/mfa/app-passwords")).status).toBe(200);
    expect((await approveDevice(idp.replicas, at)).url).toMatch(/^\/oidc\/device\/consent\?/);
    change(idp.directoryFile, "UPDATE domains SET second_factor = 'required'");
    // Self-service demands it too. Each replica keeps the record for a while.
    for (const there of idp.replicas.map((replica) => browserWith(at.cookies, replica)))
      await poll("the demand", async () => (await there.open("/mfa/app-passwords")).url.startsWith("/login?"));
    expect((await at.post("/mfa/app-passwords", {})).status).toBe(401);
    expect((await approveDevice(idp.replicas, at)).url).toMatch(/^\/login\?/);

    const setup = await signIn(at, "open", "eve@three.test");
    expect(setup.url).toBe("/mfa/totp/register");
    expect((await at.open("/mfa/app-passwords")).url).toMatch(/^\/login\?/);
    const done = await setUpTotp(at, await at.open("/mfa/totp/register"));
    expect(done.status).toBeLessThan(400);
    expect(codeIn(await authorize(at, "open"))).not.toBe("");
    expect((await at.open("/mfa/app-passwords")).status).toBe(200);
    const removal = await at.open("/mfa/totp/remove");
    expect(removal.text).toContain("This method is required");
  });

  test("makes users of self-service set one up as well", async () => {
    const at = browser();
    const login = await at.open("/mfa/register/home");
    const setup = await follow(at, await at.submit(login, { username: "fay@three.test", password }));
    expect(setup.url).toBe("/mfa/totp/register");
    await setUpTotp(at, setup);
    expect((await at.open("/mfa/register/home")).text).toContain("Copy");
  });
});

describe("a domain that is disabled", () => {
  test("in the source ends what its users have until it is enabled again", async () => {
    change(idp.directoryFile, "UPDATE domains SET second_factor = 'optional'");
    addUser(idp.directoryFile, "hal@three.test");
    const { at, page } = await poll("no requirement", async () => {
      const at = browser();
      const page = await signIn(at, "open", "hal@three.test");
      return page.location === undefined ? undefined : { at, page };
    });
    const { body } = await redeem(browser(), "open", codeIn(page));
    change(idp.directoryFile, "UPDATE domains SET enabled = 'false'");
    await poll("its end", async () => (await introspect(browser(), body.access_token)).active === false);
    await poll("its end in both replicas", async () => {
      const pages = await Promise.all([at.get("/mfa/sessions"), at.get("/mfa/sessions")]);
      return pages.every(({ status }) => status === 401);
    });
    expect((await authorize(at, "open")).url).toMatch(/^\/login\?/);
    expect(await refresh(browser(), "open", body.refresh_token)).toMatchObject({ body: { error: "invalid_grant" } });
    await poll("the engines", async () =>
      (await signIn(browser(), "open", "hal@three.test")).text.includes("Incorrect username or password"),
    );
    change(idp.directoryFile, "UPDATE domains SET enabled = 'true'");
    await poll("its users", async () => (await introspect(browser(), body.access_token)).active);
  });

  test("in the configuration ends it with the next reload", async () => {
    const at = browser();
    const { body } = await redeem(browser(), "open", codeIn(await signIn(at, "open", "ann@one.test")));
    await idp.stack.writeSettings({ auth: settingsOf(logoFile, { enabled: false, message: "Call us." }).auth });
    for (const process of [...idp.processes, ...idp.stack.engines]) process.signal("SIGHUP");
    await poll("its end", async () => (await introspect(browser(), body.access_token)).active === false);
    await poll("the message", async () =>
      (await signIn(browser(), "open", "ann@alias.test")).text.includes("Call us."),
    );
    expect(codeIn(await signIn(browser(), "open", "bea@two.test"))).not.toBe("");
  });
});
