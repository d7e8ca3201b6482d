import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Visit } from "./suite-api.ts";

/** What the user does on the pages of the identity provider. */
export interface Behaviour {
  /** Leaves the page of the first visit without signing in. */
  readonly leavesFirst?: boolean;
  readonly deniesConsent?: boolean;
  /** The sign-in page itself is pictured: the module demands a second sign-in. */
  readonly picturesSignIn?: boolean;
  /** The consent page is pictured, and the user leaves it: it shows the links that the client registered. */
  readonly picturesConsent?: boolean;
  /** Confirms a logout; otherwise the question is the last page. */
  readonly confirmsLogout?: boolean;
}

export interface User extends AsyncDisposable {
  /** Opens an address and acts until the browser is back at the client or on a page without a next step. */
  visit(visit: Visit): Promise<void>;
}

export interface UserOptions {
  readonly issuer: string;
  readonly behaviour: Behaviour;
  /** Called on a page of the identity provider that has no next step, or is pictured before the user acts. */
  readonly onPage: (picture: () => Promise<Buffer>) => Promise<void>;
}

const longestVisitMs = 120_000;
const longestSteps = 12;

/** Opens an address by GET, or submits its query as a form. */
async function open(page: Page, { url, method }: Visit): Promise<void> {
  if (method !== "POST") {
    await page.goto(url, { waitUntil: "load" }).catch(() => undefined);
    return;
  }
  const { origin, pathname, searchParams } = new URL(url);
  await page.setContent(`<form method="post" action="${origin}${pathname}"></form>`);
  const fields = Object.fromEntries(searchParams);
  await page.evaluate(
    ([entries]) => {
      const [form] = document.forms;
      for (const [name, value] of Object.entries(entries ?? {})) {
        const field = document.createElement("input");
        [field.type, field.name, field.value] = ["hidden", name, value];
        form?.append(field);
      }
      form?.submit();
    },
    [fields] as const,
  );
  await page.waitForURL((to) => to.href !== "about:blank");
}

/** Clicks and waits for the page that follows. */
async function press(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForEvent("framenavigated"), page.locator(selector).first().click()]);
  await page.waitForLoadState("load");
}

/** Time in which a page that has no fields of `form_post` any more shows that it was left. */
const leavingMs = 2000;

/** A page of `form_post` submits itself. @returns false for an error page */
async function leavesByForm(page: Page, pathname: string): Promise<boolean> {
  const fields = page.locator("form input[name=code], form input[name=error], form input[name=response]");
  const hasFields = (await fields.count()) > 0;
  const left = page.waitForURL((url) => url.pathname !== pathname, {
    waitUntil: "load",
    ...(!hasFields && { timeout: leavingMs }),
  });
  // A busy browser may have sent the form before its fields were counted.
  return left.then(
    () => true,
    (error: unknown) => {
      if (hasFields) throw error;
      return false;
    },
  );
}

/** Signs in. @returns false for a page without the form */
async function signsIn(page: Page): Promise<boolean> {
  if ((await page.locator("input[name=password]").count()) === 0) return false;
  await page.locator("input[name=username]").fill("alice@example.test");
  await page.locator("input[name=password]").fill("alice-demo-password");
  await press(page, "form:has(input[name=password]) button[type=submit]");
  return true;
}

/** Presses the first of these that the page has. */
async function presses(page: Page, ...selectors: readonly string[]): Promise<boolean> {
  for (const selector of selectors) {
    if ((await page.locator(selector).count()) === 0) continue;
    await press(page, selector);
    return true;
  }
  return false;
}

/** Confirms the logout if the user does so, or waits while the page notifies other applications in frames. */
async function signsOut(page: Page, confirms: boolean): Promise<boolean> {
  if ((await page.locator("[data-logout][data-next]").count()) === 0) {
    return confirms && presses(page, "form button[type=submit]");
  }
  const { href } = new URL(page.url());
  await page.waitForURL((url) => url.href !== href, { waitUntil: "load" });
  return true;
}

/** One step on a page of the identity provider. @returns whether there is a next page */
async function step(page: Page, { deniesConsent = false, confirmsLogout = false }: Behaviour): Promise<boolean> {
  const { pathname } = new URL(page.url());
  if (pathname.startsWith("/login")) return signsIn(page);
  if (pathname.startsWith("/oidc/authorize")) return leavesByForm(page, pathname);
  if (pathname.startsWith("/oidc/logout")) return signsOut(page, confirmsLogout);
  if (!pathname.startsWith("/oidc/consent")) return false;
  // After a denial, a link leads back to the client.
  if (deniesConsent) return presses(page, "button[value=deny]", "main a[href*='/oidc/authorize/']");
  return presses(page, "button[value=allow]");
}

/** The client's page is complete when its script has reported the response. */
async function untilReported(page: Page): Promise<void> {
  await page
    .locator("#submission_complete")
    .waitFor({ state: "attached", timeout: 10_000 })
    .catch(() => undefined);
}

async function act(page: Page, { issuer, behaviour, onPage }: UserOptions): Promise<void> {
  for (let steps = 0; steps < longestSteps; steps += 1) {
    if (new URL(page.url()).origin !== issuer) return untilReported(page);
    const picture = (): Promise<Buffer> => page.screenshot({ fullPage: true });
    if (behaviour.picturesSignIn === true && new URL(page.url()).pathname.startsWith("/login")) await onPage(picture);
    if (behaviour.picturesConsent === true && new URL(page.url()).pathname.startsWith("/oidc/consent"))
      return onPage(picture);
    if (!(await step(page, behaviour))) return onPage(picture);
  }
  return undefined;
}

/** A user with a separate browser, without a session. */
export async function createUser(browser: Browser, options: UserOptions): Promise<User> {
  const context: BrowserContext = await browser.newContext({ ignoreHTTPSErrors: true, locale: "en-GB" });
  let visits = 0;
  return {
    visit: async (visit) => {
      const page = await context.newPage();
      page.setDefaultTimeout(longestVisitMs);
      visits += 1;
      try {
        await open(page, visit);
        if (visits > 1 || options.behaviour.leavesFirst !== true) await act(page, options);
      } finally {
        await page.close();
      }
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}
