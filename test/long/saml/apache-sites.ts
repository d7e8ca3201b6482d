import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { parse } from "yaml";
import { launchChromium } from "../../../tools/pages/chromium.ts";
import { type IdpStack, startIdpStack } from "../../integration/idp/idp-stack.ts";
import { entityId } from "../../integration/saml/saml-stack.ts";
import { fillIn } from "../../support/chromium-user.ts";
import { isTree, merged, type Tree } from "../../support/stack-config.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));

export const shipped = (file: string): Promise<string> => readFile(join(repository, "deploy/saml", file), "utf8");
export const guide = (file: string): Promise<string> => readFile(join(repository, "docs/connect", file), "utf8");

export const contentEncryptions = ["none", "aes256-gcm", "aes128-gcm", "aes256-cbc", "aes128-cbc"] as const;

export const login = "http://localhost:8080";
export const hostOf = (encryption: string): string => `${encryption.replace("-", "")}.example.org`;
export const siteOf = (encryption: string): string => `https://${hostOf(encryption)}`;

/** A shipped text for the site with this content encryption instead of the guide's site. */
export function forSite(text: string, encryption: string): string {
  return text
    .replaceAll("wiki.example.org", hostOf(encryption))
    .replaceAll("https://login.example.org", login)
    .replace("encryption: aes256-gcm", `encryption: ${encryption}`);
}

function treeOf(text: string): Tree {
  const tree: unknown = parse(text);
  if (!isTree(tree)) throw new Error("the file contains no object");
  return tree;
}

/** The service providers of a shipped Postern configuration. */
function providersIn(text: string): readonly Tree[] {
  const { identity } = Object(treeOf(text));
  return identity.saml.service_providers;
}

/** Postern with one service provider per content encryption, configured as the shipped text says. */
export function startPostern(texts: readonly string[], saml: Tree = {}): Promise<IdpStack> {
  const common = {
    enabled: true,
    entity_id: entityId,
    persistent_id_secret: "a-secret-that-is-kept-for-ever",
    service_providers: texts.flatMap(providersIn),
  };
  return startIdpStack({ identity: { saml: merged(common, saml) } });
}

export const posternMetadata = async (idp: IdpStack): Promise<string> =>
  (await fetch(`${idp.stack.url}/saml/metadata`)).text();

/** Chromium, for which the hosts of the sites and of Postern are on this machine. One server has all sites, or each its own. */
export function browserFor(idp: IdpStack, ports: number | Readonly<Record<string, number>>): Promise<Browser> {
  const hosts = [
    `MAP localhost:8080 127.0.0.1:${new URL(idp.stack.url).port}`,
    ...contentEncryptions.map((encryption) => {
      const port = typeof ports === "number" ? ports : (ports[encryption] ?? 0);
      return `MAP ${hostOf(encryption)}:443 127.0.0.1:${port}`;
    }),
  ];
  return launchChromium([`--host-resolver-rules=${hosts.join(",")}`, "--ignore-certificate-errors"]);
}

/** A page, and the algorithms of the encrypted assertions that its context posts. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly algorithms: readonly string[];
}

export async function newVisit(browser: Browser): Promise<Visit> {
  const context = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
  const page = await context.newPage();
  const algorithms: string[] = [];
  page.on("request", (request) => {
    const response = new URLSearchParams(request.postData() ?? "").get("SAMLResponse");
    if (response === null) return;
    const xml = Buffer.from(response, "base64").toString();
    algorithms.push(/<xenc:EncryptionMethod Algorithm="[^"]+#([^"]+)"/.exec(xml)?.[1] ?? "none");
  });
  return { page, context, algorithms, [Symbol.asyncDispose]: () => context.close() };
}

/** Makes a key and a certificate in the folder, as `NAME.key` and `NAME.crt`. */
export async function makeCertificate(folder: string, name: string): Promise<void> {
  const files = ["-keyout", join(folder, `${name}.key`), "-out", join(folder, `${name}.crt`)];
  const args = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${name}`, ...files];
  await promisify(execFile)("openssl", args);
}

/** @returns the user that the site shows */
async function signInAt(page: Page, site: string): Promise<string | null> {
  await page.goto(`${site}/private/`);
  await fillIn(page, "alice");
  await page.waitForURL(`${site}/private/`);
  return page.locator("#user").textContent();
}

const passwordField = (page: Page): Promise<void> => page.getByLabel("Password", { exact: true }).waitFor();

/**
 * Signs in at the site with this content encryption, signs out there, and has to enter the password again.
 * @returns the user that the site showed, and the algorithms of the assertions
 */
export async function signOutOfSite(browser: Browser, encryption: string): Promise<readonly unknown[]> {
  const site = siteOf(encryption);
  await using visit = await newVisit(browser);
  const { page, algorithms } = visit;
  const user = await signInAt(page, site);
  const received = [...algorithms];
  await page.getByRole("link", { name: "Sign out" }).click();
  await page.waitForURL((url) => url.origin === site && url.pathname === "/");
  await page.goto(`${site}/private/`);
  await passwordField(page);
  return [user, ...received];
}

/**
 * Signs in at the site, signs out of Postern, and has to enter the password again.
 * @returns the user that the site showed, and how often Postern named the site as still signed in
 */
export async function signOutOfPostern(browser: Browser, encryption: string): Promise<readonly unknown[]> {
  const site = siteOf(encryption);
  await using visit = await newVisit(browser);
  const { page } = visit;
  const user = await signInAt(page, site);
  await page.goto(`${login}/logout`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${login}/logged_out`);
  const failed = await page.getByText("Example wiki").count();
  await page.goto(`${site}/private/`);
  await passwordField(page);
  return [user, failed];
}
