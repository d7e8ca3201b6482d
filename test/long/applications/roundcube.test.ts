import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "../../../tools/pages/chromium.ts";
import { fillIn, press } from "../../support/chromium-user.ts";
import { hasRefreshed } from "./application-setting.ts";
import { type RoundcubeSetting, startRoundcubeSetting, webmail } from "./roundcube-setting.ts";

const account = "alice@example.test";
const owned = new AsyncDisposableStack();
let setting: RoundcubeSetting;
let browser: Browser;

beforeAll(async () => {
  setting = owned.use(await startRoundcubeSetting("20s"));
  browser = await launchChromium([
    `--host-resolver-rules=MAP ${webmail}:443 127.0.0.1:${setting.apache.port}`,
    "--ignore-certificate-errors",
  ]);
  owned.defer(() => browser.close());
}, 300_000);

afterAll(() => owned.disposeAsync());

async function newPage(): Promise<Page> {
  const context = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
  return context.newPage();
}

/** Opens Roundcube, which leads to Postern's page immediately, and enters the password there. */
async function enterPassword(page: Page): Promise<void> {
  await page.goto(`https://${webmail}/`);
  await fillIn(page, "alice");
}

const inbox = (page: Page): Promise<void> => page.getByRole("link", { name: "Inbox" }).first().waitFor();

test("a user signs in to Debian's Roundcube with a page of Postern, and Roundcube to Dovecot with the access token", async () => {
  const page = await newPage();
  await enterPassword(page);
  await press(page, "Allow");
  await inbox(page);
  expect(await page.locator(".header-title.username").textContent()).toBe(account);
});

test("after the access token has expired, Roundcube obtains another and stays signed in", async () => {
  const page = await newPage();
  await enterPassword(page);
  await inbox(page);
  const refreshed = async (): Promise<boolean> => {
    await page.goto(`https://${webmail}/?_task=mail&_mbox=INBOX`);
    await inbox(page);
    return hasRefreshed(setting.stack);
  };
  await expect.poll(refreshed, { timeout: 90_000, interval: 1000 }).toBe(true);
  await page.goto(`https://${webmail}/?_task=mail&_mbox=INBOX`);
  await inbox(page);
});
