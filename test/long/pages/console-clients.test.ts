import { SAML } from "@node-saml/node-saml";
import { freePort, poll, scratchFolder } from "@postern/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ConsoleStack,
  openConsole,
  passFactors,
  startConsoleStack,
} from "../../integration/admin/console-stack.ts";
import { keyPair } from "../../integration/saml/key-pair.ts";
import { askAdmin } from "../../support/ask-admin.ts";
import { axeProblems } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { keyboardProblems, layoutProblems } from "../../support/page-rules.ts";

let desk: ConsoleStack;
let browser: Browser;
const hostile = `<script>alert("wiki")</script>`;
const acsUrl = "https://wiki.example.test/acs";

beforeAll(async () => {
  await using folder = await scratchFolder();
  const { cert } = await keyPair(folder.path, "sp");
  const url = `http://127.0.0.1:${await freePort()}/metadata`;
  desk = await startConsoleStack({
    identity: {
      saml: {
        enabled: true,
        entity_id: "urn:test:idp",
        service_providers: [
          { name: hostile, entity_id: "urn:test:wiki", acs_url: acsUrl, cert },
          { entity_id: "urn:test:files", metadata: { url, allow_unsigned: true } },
        ],
      },
    },
  });
  browser = await sharedChromium();
});

afterAll(async () => {
  await desk[Symbol.asyncDispose]();
});

/** The row of a client, and what it opens below. */
const itemOf = (page: Page, text: string) => page.locator(".rows tbody tr:not(.acts-row)", { hasText: text });
const openedBy = (page: Page, text: string) => page.locator(".rows .acts-row", { hasText: text });

/** Signs in at the service provider; its own site does not exist. */
async function signInAtWiki(): Promise<void> {
  await using context = await browser.newContext({ locale: "en-US" });
  const page = await context.newPage();
  await page.route("https://wiki.example.test/**", (route) => route.fulfill({ body: "wiki" }));
  const provider = new SAML({
    issuer: "urn:test:wiki",
    callbackUrl: acsUrl,
    entryPoint: `${desk.issuer}/saml/sso`,
    idpCert: "unused",
    disableRequestedAuthnContext: true,
  });
  const answered = page.waitForResponse((response) => response.url().includes("/saml/sso?request="));
  await page.goto(await provider.getAuthorizeUrlAsync("", undefined, {}));
  await passFactors(page, "victor");
  expect((await answered).status()).toBe(200);
}

test("the page shows clients and service providers with their last use, and what of them expires", async () => {
  await using context = await browser.newContext({ locale: "en-US", bypassCSP: true });
  const page = await openConsole(context, desk, "hugo");
  await page.getByRole("link", { name: "Clients" }).click();
  await page.getByRole("heading", { level: 1, name: "Clients" }).waitFor();
  expect(await itemOf(page, hostile).innerText()).toContain("Not recorded");
  await openedBy(page, "urn:test:wiki").locator("summary").click();
  expect(await openedBy(page, "urn:test:wiki").locator("code").first().innerText()).toBe("urn:test:wiki");
  await signInAtWiki();
  await poll("both last uses", async () => {
    await page.reload();
    const texts = await Promise.all(
      [itemOf(page, hostile), itemOf(page, "console")].map((one) => one.first().innerText()),
    );
    return texts.every((text) => text.includes("just now") || text.includes("min ago"));
  });
  const wiki = await itemOf(page, hostile).innerText();
  expect(wiki).toContain(hostile);
  expect(wiki).toMatch(/any: .+\s+In 0 days/u);
  expect(await itemOf(page, "urn:test:files").innerText()).toContain("Not usable: the metadata was never loaded");
  expect(await page.locator("main script, main img").count()).toBe(0);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await layoutProblems(page)).toEqual([]);
  expect(await keyboardProblems(page)).toEqual([]);
  expect(await axeProblems(page)).toEqual([]);
});

test("the list contains no secret, and needs an operator's scope", async () => {
  const { status, text } = await askAdmin(desk.stack, "GET", "/api/v1/applications");
  expect(status).toBe(200);
  expect(text).not.toContain("console-secret");
  expect((await fetch(`${desk.stack.url}/api/v1/applications`)).status).toBe(401);
});

test("without the identity provider, the page is a temporary failure", async () => {
  await using context = await browser.newContext({ locale: "en-US" });
  const page = await openConsole(context, desk, "ada");
  await desk.stack.services.get("idp")?.stop();
  const response = await page.goto(`${desk.url}/console/clients`);
  expect(response?.status()).toBe(503);
});
