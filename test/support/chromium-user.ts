import type { BrowserContext, Page } from "playwright-core";
import { totpCode } from "./totp-code.ts";

/** The secret of the demo's bob. */
export const bobsSecret = "JBSWY3DPEHPK3PXP";

/** Fills in the sign-in page before the browser, as the demo's users do. */
export async function fillIn(page: Page, name: string, password = `${name}-demo-password`): Promise<void> {
  await page.getByLabel("Username or email address").fill(`${name}@example.test`);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** A new page of the browser, on which the sign-in that the address leads to is filled in. */
export async function signInAt(context: BrowserContext, address: string, name: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  await fillIn(page, name);
  return page;
}

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

export async function follow(page: Page, name: string): Promise<void> {
  await page.getByRole("link", { name }).click();
}

/** For `expect.poll`: a click is answered by another page. */
export const soon = Object.freeze({ timeout: 20_000 });

export function heading(page: Page): Promise<string | null> {
  return page.getByRole("heading", { level: 1 }).textContent();
}

export const pathOf = (page: Page): string => new URL(page.url()).pathname;

/** The secret that a page for a new authenticator app shows, once it is opened. */
export async function shownSecret(page: Page): Promise<string> {
  await page.getByText("Can’t scan it?").click();
  return (await page.locator("code.secret").innerText()).replaceAll(" ", "");
}

export async function enterCode(page: Page, code: string, button: string): Promise<void> {
  await page.getByLabel("Six-digit code").fill(code);
  await press(page, button);
}

/** The app of the shown secret is set up on the page before the browser. */
export async function setUpApp(page: Page): Promise<void> {
  await enterCode(page, totpCode(await shownSecret(page)), "Set up");
}

const focused = `(() => {
  const { activeElement: part, body } = document;
  return part === body ? "" : [part.labels?.[0]?.textContent, part.textContent, part.id].join(" ").trim();
})()`;

/** Presses Tab until what has the focus is called so. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    if (String(await page.evaluate(focused)).includes(name)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${name}`);
}

/** The same, then Enter, up to the page of this heading. */
export async function enterAt(page: Page, name: string, next: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: next }).waitFor();
}
