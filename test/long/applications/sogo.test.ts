import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "../../../tools/pages/chromium.ts";
import { fillIn, press, soon } from "../../support/chromium-user.ts";
import { hasRefreshed } from "./application-setting.ts";
import { groupware, type SogoSetting, startSogoSetting } from "./sogo-setting.ts";

const account = "alice@example.test";
const owned = new AsyncDisposableStack();
let setting: SogoSetting;
let browser: Browser;

beforeAll(async () => {
  setting = owned.use(await startSogoSetting("20s"));
  browser = await launchChromium([
    `--host-resolver-rules=MAP ${groupware}:443 127.0.0.1:${setting.apache.port}`,
    "--ignore-certificate-errors",
  ]);
  owned.defer(() => browser.close());
}, 600_000);

afterAll(() => owned.disposeAsync());

/** Opens SOGo in a new browser, which leads to Postern's page, and enters the password there. */
async function signIn(): Promise<Page> {
  const context = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(`https://${groupware}/SOGo/`);
  await fillIn(page, "alice");
  return page;
}

/** SOGo has read the inbox, which needs an access token that Dovecot accepts. */
async function opensInbox(page: Page): Promise<boolean> {
  const read = page.waitForResponse((response) => response.url().endsWith("/folderINBOX/view"), soon);
  await page.goto(`https://${groupware}/SOGo/so/${account}/Mail/view`);
  return (await read).status() === 200;
}

test("a user signs in to Debian's SOGo with a page of Postern, and SOGo to Dovecot with the access token", async () => {
  const page = await signIn();
  await press(page, "Allow");
  await page.getByText("No message", { exact: true }).waitFor(soon);
  expect(await page.getByText(account).count()).toBeGreaterThan(0);
  expect(await setting.log()).toContain(`user=<${account}>, method=XOAUTH2`);
}, 180_000);

test("after the access token has expired, SOGo obtains another and reads mail with it", async () => {
  const page = await signIn();
  await page.waitForURL(`https://${groupware}/**`, soon);
  await expect
    .poll(async () => (await opensInbox(page)) && hasRefreshed(setting.stack), { timeout: 150_000, interval: 2000 })
    .toBe(true);
  expect(await opensInbox(page)).toBe(true);
}, 300_000);

test("a user who signs out of SOGo confirms it at Postern, and must sign in again", async () => {
  const page = await signIn();
  await page.waitForURL(`https://${groupware}/**`, soon);
  await page.goto(`https://${groupware}/SOGo/so/${account}/logoff`);
  await press(page, "Sign out");
  await page.waitForURL("**/logged_out", soon);
  await page.goto(`https://${groupware}/SOGo/`);
  await expect.poll(() => page.getByLabel("Username or email address").count(), soon).toBe(1);
}, 180_000);
