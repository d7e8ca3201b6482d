import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Apache, scratchFolder, spawnApache } from "@postern/testing";
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
let idp: IdpStack;
let apache: Apache;
let browser: Browser;

const environment = (name: string): string => `<!--#echo var="${name}" -->`;
const shownUser = `<p id="user">${environment("REMOTE_USER")} ${environment("MELLON_displayName")}</p>`;
const frontPage = `<p id="user"><!--#if expr='v("MELLON_mail") =~ /./' -->${environment("MELLON_mail")}<!--#else -->signed out<!--#endif --></p>`;

beforeAll(async () => {
  const { path: folder } = owned.use(await scratchFolder());
  const [config, settings] = await Promise.all([shipped("mellon.conf"), shipped("mellon-postern.yaml")]);
  await Promise.all(
    contentEncryptions.map(async (encryption) => {
      const endpoint = `${siteOf(encryption)}/mellon`;
      await promisify(execFile)("mellon_create_metadata", [`${endpoint}/metadata`, endpoint], { cwd: folder });
    }),
  );
  const placed = (text: string): string => text.replaceAll("/etc/postern/saml", folder);
  idp = owned.use(await startPostern(contentEncryptions.map((encryption) => forSite(placed(settings), encryption))));
  const files = { "postern.xml": await posternMetadata(idp) };
  const keys = await Promise.all(
    contentEncryptions.flatMap((encryption) =>
      ["key", "cert", "xml"].map(async (kind) => {
        const name = `https_${hostOf(encryption)}_mellon_metadata.${kind}`;
        return [name, await readFile(join(folder, name), "utf8")] as const;
      }),
    ),
  );
  apache = owned.use(
    await spawnApache({
      modules: ["auth_mellon"],
      pages: { "index.shtml": frontPage, "private/index.shtml": shownUser },
      files: { ...files, ...Object.fromEntries(keys) },
      sites: contentEncryptions.map((encryption) => ({
        host: hostOf(encryption),
        config: forSite(config, encryption),
      })),
    }),
  );
  browser = await browserFor(idp, apache.port);
  owned.defer(() => browser.close());
}, 300_000);

afterAll(() => owned.disposeAsync());

const userOn = (page: Page): Promise<string | null> => page.locator("#user").textContent();

test.each(["mellon.conf", "mellon-postern.yaml"])("docs/connect/mellon.md shows %s", async (file) => {
  expect(await guide("mellon.md")).toContain(await shipped(file));
});

describe.each(contentEncryptions)("mellon with content encryption %s", (encryption) => {
  const site = siteOf(encryption);

  test("signs in with a signed request, and its logout ends the session", async () => {
    await using visit = await newVisit(browser);
    const { page, algorithms } = visit;
    await page.goto(`${site}/private/`);
    await fillIn(page, "alice");
    await page.waitForURL(`${site}/private/`);
    expect(await userOn(page)).toBe("alice@example.test Alice Example");
    expect(algorithms).toEqual([encryption]);
    await page.goto(`${site}/mellon/logout?ReturnTo=${encodeURIComponent(`${site}/`)}`);
    await page.waitForURL(`${site}/`);
    expect(await userOn(page)).toBe("signed out");
    await page.goto(`${site}/private/`);
    await page.getByLabel("Password", { exact: true }).waitFor();
  });

  test("ends its session when the user signs out of Postern", async () => {
    await using visit = await newVisit(browser);
    const { page } = visit;
    await page.goto(`${site}/mellon/login?ReturnTo=${encodeURIComponent(`${site}/`)}`);
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
