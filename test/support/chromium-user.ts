import type { BrowserContext, Page } from "playwright-core";
import { totpCode } from "./totp-code.ts";

/** The TOTP secret of bob in the demo. */
export const bobsSecret = "JBSWY3DPEHPK3PXP";

/** Fills in and submits the sign-in page. */
export async function fillIn(page: Page, name: string, password = `${name}-demo-password`): Promise<void> {
  await page.getByLabel("Username or email address").fill(`${name}@example.test`);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Opens the address in a new page and signs in there. */
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

/** A click may take this long to lead to another page (`expect.poll`). */
export const soon = Object.freeze({ timeout: 60_000 });

export function heading(page: Page): Promise<string | null> {
  return page.getByRole("heading", { level: 1 }).textContent();
}

export const pathOf = (page: Page): string => new URL(page.url()).pathname;

/** Opens and reads the secret on the page that sets up an authenticator app. */
export async function shownSecret(page: Page): Promise<string> {
  await page.getByText("Can’t scan it?").click();
  return (await page.locator("code.secret").innerText()).replaceAll(" ", "");
}

export async function enterCode(page: Page, code: string, button: string): Promise<void> {
  await page.getByLabel("Six-digit code").fill(code);
  await press(page, button);
}

/** Sets up an authenticator app with the secret on the page. */
export async function setUpApp(page: Page): Promise<void> {
  await enterCode(page, totpCode(await shownSecret(page)), "Set up");
}

const focused = `(() => {
  const { activeElement: part, body } = document;
  return part === body ? "" : [part.labels?.[0]?.textContent, part.textContent, part.id].join(" ").trim();
})()`;

/** Presses Tab until the element with this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    if (String(await page.evaluate(focused)).includes(name)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${name}`);
}

/** Moves the focus to the element, presses Enter, and waits for the page with this heading. */
export async function enterAt(page: Page, name: string, next: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: next }).waitFor();
}
