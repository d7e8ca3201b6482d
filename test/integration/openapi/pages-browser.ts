import { type Authenticator, createAuthenticator } from "../../support/authenticator.ts";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import type { Stack } from "../../support/stack.ts";
import type { DriveParts } from "./drive.ts";

const form = "application/x-www-form-urlencoded";
const home = "/mfa/register/home";

/** A browser that shows a page. */
export interface At {
  readonly browser: Browser;
  readonly page: Page;
}

const names = { alice: "alice@example.test", bob: "bob@example.test", carol: "carol@example.test" } as const;
export type User = keyof typeof names;
export const accountOf = (user: User): string => names[user];
export const credentialsOf = (user: User) => ({ username: names[user], password: `${user}-demo-password` });

/** A value of the page's form, or one that its script reads. */
const csrfOf = ({ page }: At): string =>
  hiddenFields(page)["csrf_token"] ?? /data-csrf="([^"]+)"/u.exec(page.text)?.[1] ?? "";

function cookieOf({ cookies }: Browser): string {
  return [...cookies].map((pair) => pair.join("=")).join("; ");
}

/** A request of this browser, without an API caller's credentials. */
export function byBrowser({ browser }: Pick<At, "browser">, parts: DriveParts = {}): DriveParts {
  return { ...parts, authorization: null, headers: { cookie: cookieOf(browser), ...parts.headers } };
}

/** The completed form of its page. */
export function byForm(at: At, fields: Readonly<Record<string, string>>): DriveParts {
  return byBrowser(at, { body: { type: form, value: { ...hiddenFields(at.page), ...fields } } });
}

/** The page's script sends this request. */
export function byScript(at: At, value?: object): DriveParts {
  const headers = { "x-csrf-token": csrfOf(at) };
  return byBrowser(at, { headers, ...(value !== undefined && { body: { type: "application/json", value } }) });
}

/** Opens the sign-in form. */
export async function atLogin({ idpUrl }: Stack): Promise<At> {
  const browser = createBrowser([idpUrl]);
  return { browser, page: await browser.open(home) };
}

/** Opens the page after the correct password. */
export async function afterPassword(stack: Stack, user: User): Promise<At> {
  const { browser, page } = await atLogin(stack);
  const { location = "" } = await browser.submit(page, credentialsOf(user));
  return { browser, page: await browser.open(location) };
}

const members = new WeakMap<Stack, Map<User, Promise<At>>>();

/** The one browser in which the user is signed in. */
export function member(stack: Stack, user: User): Promise<At> {
  const known = members.get(stack) ?? new Map<User, Promise<At>>();
  members.set(stack, known);
  const at = known.get(user) ?? afterPassword(stack, user);
  known.set(user, at);
  return at;
}

/** That browser at a self-service page. */
export async function memberAt(stack: Stack, user: User, path: string): Promise<At> {
  const { browser } = await member(stack, user);
  const page = await browser.open(path);
  if (page.status !== 200) throw new Error(`${path}: ${page.status} ${page.text}`);
  return { browser, page };
}

interface Challenge {
  readonly challenge: string;
  readonly rpId: string;
  /** Only the challenge of a registration has it. */
  readonly userHandle: string;
}

/** The challenge that a page's script would receive; a GET, so that the state of the browser stays unchanged. */
export async function challengeAt({ browser }: Pick<At, "browser">, path: string): Promise<Challenge> {
  const { text } = await browser.get(path);
  const { publicKey } = Object(JSON.parse(text));
  const rpId = String(publicKey.rpId ?? publicKey.rp?.id);
  return { challenge: String(publicKey.challenge), rpId, userHandle: String(publicKey.user?.id) };
}

/** A new passkey, and what the browser sends to register it. */
export async function newPasskey(
  { url }: Stack,
  at: At,
  begin: string,
): Promise<{ readonly passkey: Authenticator; readonly credential: object }> {
  const { challenge, rpId, userHandle } = await challengeAt(at, begin);
  const passkey = createAuthenticator({ rpId, origin: url });
  return { passkey, credential: passkey.create(challenge, userHandle) };
}

const passkeys = new WeakMap<Stack, Promise<Authenticator>>();

async function register(stack: Stack): Promise<Authenticator> {
  const at = await memberAt(stack, "alice", "/mfa/webauthn/register");
  const { passkey, credential } = await newPasskey(stack, at, "/mfa/webauthn/register/begin");
  const { status, text } = await at.browser.send("/mfa/webauthn/register/finish", {
    method: "POST",
    headers: { "content-type": "application/json", "x-csrf-token": csrfOf(at) },
    body: JSON.stringify({ credential }),
  });
  if (status !== 200) throw new Error(`the passkey was not registered: ${status} ${text}`);
  return passkey;
}

/** Alice's passkey. */
export function alicesPasskey(stack: Stack): Promise<Authenticator> {
  const known = passkeys.get(stack) ?? register(stack);
  passkeys.set(stack, known);
  return known;
}
