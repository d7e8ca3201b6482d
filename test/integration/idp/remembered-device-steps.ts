import type { RedisClient } from "@postern/shared/platform/redis";
import { expect } from "vitest";
import { type Browser, createBrowser, type Page } from "../../support/browser.ts";
import { totpCode } from "../../support/totp-code.ts";
import { authorize, callback, follow } from "./authorization.ts";
import type { IdpStack } from "./idp-stack.ts";

export const bob = { username: "bob@example.test", password: "bob-demo-password" };
export const secret = "JBSWY3DPEHPK3PXP";
export const cookieName = "service_remembered";
/** On a page that offers not to ask again. */
export const box = 'name="remember_device"';

export const isAsked = ({ url }: Page): boolean => url.startsWith("/login/totp");
export const isDone = ({ location }: Page): boolean => location?.startsWith(`${callback}?code=`) === true;

/** Of the factors of bob, the authenticator app. */
export async function submitPassword(browser: Browser, login: Page, password = bob.password): Promise<Page> {
  const page = await follow(browser, await browser.submit(login, { ...bob, password }));
  return page.url.startsWith("/login/mfa") ? browser.get(page.url.replace("/login/mfa", "/login/totp")) : page;
}

/** Signs in with the password, in a browser that is not signed in. @returns the page for the code, or the redirect to the application */
export async function enterPassword(
  browser: Browser,
  {
    client = "webmail",
    more = {},
    password = bob.password,
  }: { client?: string; more?: Record<string, string>; password?: string } = {},
): Promise<Page> {
  browser.cookies.delete("service_session");
  return submitPassword(browser, await authorize(browser, client, more), password);
}

/** A code of the authenticator app, which may have been used before in this test. */
export async function unusedCode(redis: RedisClient): Promise<string> {
  const used = await redis.keys("*factor:totp:*");
  if (used.length > 0) await redis.del(...used);
  return totpCode(secret);
}

/** A browser on which bob chose not to be asked again. */
export async function rememberedBrowserAt({ replicas }: IdpStack, redis: RedisClient): Promise<Browser> {
  const browser = createBrowser(replicas);
  const page = await enterPassword(browser);
  expect([isAsked(page), page.text.includes(box)]).toEqual([true, true]);
  const fields = { code: await unusedCode(redis), remember_device: "on" };
  expect(isDone(await follow(browser, await browser.submit(page, fields)))).toBe(true);
  return browser;
}
