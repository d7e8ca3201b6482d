import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Apache, scratchFolder, spawnApache, spawnShibd } from "@postern/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { IdpStack } from "../../integration/idp/idp-stack.ts";
import { fillIn } from "../../support/chromium-user.ts";
import {
  browserFor,
  contentEncryptions,
  forSite,
  guide,
  hostOf,
  login,
  newVisit,
  posternMetadata,
  shipped,
  siteOf,
  startPostern,
} from "./apache-sites.ts";

const owned = new AsyncDisposableStack();
const run = promisify(execFile);
let idp: IdpStack;
let apache: Apache;
let browser: Browser;

const environment = (name: string): string => `<!--#echo var="${name}" -->`;
const shownUser = `<p id="user">${environment("REMOTE_USER")} ${environment("displayName")}</p>`;
const frontPage = `<p id="user"><!--#if expr='v("mail") =~ /./' -->${environment("mail")}<!--#else -->signed out<!--#endif --></p>`;

/** The metadata that Debian's tool writes for the site. */
async function metadataOf(encryption: string, cert: string): Promise<string> {
  const args = ["-2", "-L", "-c", cert, "-h", hostOf(encryption), "-e", `${siteOf(encryption)}/shibboleth`];
  return (await run("shib-metagen", args)).stdout;
}

beforeAll(async () => {
  const { path: folder } = owned.use(await scratchFolder());
  const names = ["shibboleth2.xml", "postern-attributes.xml", "shibboleth.conf", "shibboleth-postern.yaml"] as const;
  const [shibboleth2 = "", attributes = "", config = "", settings = ""] = await Promise.all(names.map(shipped));
  await run("shib-keygen", [
    "-o",
    folder,
    "-n",
    "sp",
    "-h",
    "wiki.example.org",
    "-e",
    "https://wiki.example.org/shibboleth",
  ]);
  const [cert, key] = [join(folder, "sp-cert.pem"), join(folder, "sp-key.pem")];
  const texts = contentEncryptions.map(async (encryption) => {
    const file = join(folder, `${encryption}.xml`);
    await writeFile(file, await metadataOf(encryption, cert));
    return forSite(settings.replace("/etc/postern/saml/wiki.xml", file), encryption);
  });
  idp = owned.use(await startPostern(await Promise.all(texts)));
  const shibd = owned.use(
    await spawnShibd({
      files: {
        "shibboleth2.xml": forSite(shibboleth2, "none"),
        "postern-attributes.xml": attributes,
        "postern.xml": await posternMetadata(idp),
        "sp-key.pem": await readFile(key, "utf8"),
        "sp-cert.pem": await readFile(cert, "utf8"),
      },
    }),
  );
  apache = owned.use(
    await spawnApache({
      modules: ["shib"],
      pages: { "index.shtml": frontPage, "private/index.shtml": shownUser },
      env: shibd.env,
      // One daemon serves all sites; each is a service provider of its own.
      sites: contentEncryptions.map((encryption) => ({
        host: hostOf(encryption),
        config: `${config}<Location />\nShibRequestSetting entityIDSelf ${siteOf(encryption)}/shibboleth\n</Location>`,
      })),
    }),
  );
  browser = await browserFor(idp, apache.port);
  owned.defer(() => browser.close());
}, 300_000);

afterAll(() => owned.disposeAsync());

const userOn = (page: Page): Promise<string | null> => page.locator("#user").textContent();

test.each(["shibboleth2.xml", "postern-attributes.xml", "shibboleth.conf", "shibboleth-postern.yaml"])(
  "docs/connect/shibboleth.md shows %s",
  async (file) => {
    expect(await guide("shibboleth.md")).toContain(await shipped(file));
  },
);

describe.each(contentEncryptions)("the Shibboleth SP with content encryption %s", (encryption) => {
  const site = siteOf(encryption);

  test("signs in with a signed request, and its logout ends the session", async () => {
    await using visit = await newVisit(browser);
    const { page, algorithms } = visit;
    await page.goto(`${site}/private/`);
    await fillIn(page, "alice");
    await page.waitForURL(`${site}/private/`);
    expect(await userOn(page)).toBe("alice@example.test Alice Example");
    expect(algorithms).toEqual([encryption]);
    await page.goto(`${site}/Shibboleth.sso/Logout?return=${encodeURIComponent(`${site}/`)}`);
    await page.waitForURL(`${site}/`);
    expect(await userOn(page)).toBe("signed out");
    await page.goto(`${site}/private/`);
    await page.getByLabel("Password", { exact: true }).waitFor();
  });

  test("ends its session when the user signs out of Postern", async () => {
    await using visit = await newVisit(browser);
    const { page } = visit;
    await page.goto(`${site}/Shibboleth.sso/Login?target=${encodeURIComponent(`${site}/`)}`);
    await fillIn(page, "alice");
    await page.waitForURL(`${site}/`);
    expect(await userOn(page)).toBe("alice@example.test");
    await page.goto(`${login}/logout`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${login}/logged_out`);
    await page.goto(`${site}/`);
    expect(await userOn(page)).toBe("signed out");
  });
});
