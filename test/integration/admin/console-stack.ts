import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort, poll, scratchFolder } from "@postern/testing";
import type { APIResponse, BrowserContext, Locator, Page } from "playwright-core";
import { formOf } from "../../support/browser.ts";
import { demoSeedFile } from "../../support/demo-users.ts";
import { type Replica, type Stack, type StackOptions, startStack } from "../../support/stack.ts";
import { demoBackends, merged, type Tree } from "../../support/stack-config.ts";
import { totpCode } from "../../support/totp-code.ts";

/** Operators by role, each with an authenticator app; `paul` has a role and no second factor, `victor` has no role. */
const secrets = {
  helen: "JBSWY3DPEHPK3PXA",
  hugo: "JBSWY3DPEHPK3PXB",
  sam: "JBSWY3DPEHPK3PXC",
  sue: "JBSWY3DPEHPK3PXD",
  ada: "JBSWY3DPEHPK3PXE",
  victor: "JBSWY3DPEHPK3PXF",
  paul: undefined,
} as const;
export type OperatorName = keyof typeof secrets;

/** The password of alice in the demo, and of the operators. */
const password = "alice-demo-password";

const rows = Object.entries(secrets).map(
  ([name, secret]) =>
    `INSERT INTO users (username, password, display_name, mail, uid, totp_secret) SELECT '${name}@example.test', password, '${name}', '${name}@example.test', '${name}', ${secret === undefined ? "NULL" : `'${secret}'`} FROM users WHERE username = 'alice@example.test';`,
);

const mfa = {
  enabled: true,
  queries: {
    totp_read: "SELECT totp_secret FROM users WHERE username = :account",
    totp_write: "UPDATE users SET totp_secret = :secret WHERE username = :account",
    totp_delete: "UPDATE users SET totp_secret = NULL WHERE username = :account",
  },
};

/**
 * Finds users by the alias in `uid` too. Compares names as the backends of sites do: in any letter case, with blanks around, with a letter in
 * the width of ideographs (U+FF41), and without `+tag`.
 */
const typed = "lower(trim(replace(:username, '\uff41', 'a')))";
const query = `SELECT username AS account, password, display_name AS displayName, mail, uid, NOT enabled AS disabled FROM users
  WHERE uid = ${typed} OR username = ${typed} OR (instr(${typed}, '+') > 0
  AND username = substr(${typed}, 1, instr(${typed}, '+') - 1) || substr(${typed}, instr(${typed}, '@')))`;

interface BackendOptions {
  readonly order: readonly string[];
  readonly hasMailSearch: boolean;
}

/** A search that names accounts otherwise than that of the sign-in pages. */
const mailSearch = { protocol: ["imap"], cache_name: "mail", mapping: { account_field: "uid" } };

function backends(folder: string, seedFile: string, { order, hasMailSearch }: BackendOptions): Tree {
  const tree = { ...demoBackends(folder), order };
  const { sql } = Object(tree);
  const [search] = sql.search;
  const own = merged(search, { mfa, queries: { user: query } });
  return {
    ...tree,
    sql: {
      default: { ...sql.default, seed_file: seedFile },
      search: [own, ...(hasMailSearch ? [merged(own, mailSearch)] : [])],
    },
  };
}

const bucket = { name: "imap", period: "10m", ban_time: "1h", failed_requests: 3, ipv4: true, cidr: 24 };

function settingsOf(issuer: string, consoleUrl: string, auditFile: string): Tree {
  return {
    observability: {
      audit: { file: auditFile },
      audit_history: { enabled: true },
      decision_history: { enabled: true },
    },
    runtime: {
      servers: {
        http: {
          console_address: [new URL(consoleUrl).host],
          rate_limit: { per_second: 10_000, burst: 10_000 },
        },
      },
      console: {
        url: consoleUrl,
        client_id: "console",
        role_attribute: "uid",
        roles: { helpdesk: ["helen", "hugo", "paul"], security: ["sam", "sue"], admin: ["ada"] },
      },
    },
    auth: { controls: { enabled: ["brute_force"], brute_force: { buckets: [bucket] } } },
    identity: {
      mfa: { remembered_devices: { lifetime: "1h" } },
      frontend: { enabled: true, branding: { name: "Example Mail" } },
      oidc: {
        enabled: true,
        issuer,
        clients: [
          {
            client_id: "console",
            client_secret: "console-secret",
            redirect_uris: [`${consoleUrl}/console/callback`],
            scopes: ["openid", "profile"],
            skip_consent: true,
          },
        ],
      },
    },
  };
}

export interface ConsoleStack extends AsyncDisposable {
  readonly stack: Stack;
  /** Origin of the console. */
  readonly url: string;
  /** The identity provider is on another site than the console. */
  readonly issuer: string;
  readonly auditFile: string;
  /** The other replica of admin, which the gateway does not ask. In a stack of one process, there is one. */
  readonly second: Replica;
  /** The SQLite file with the users. */
  readonly directoryFile: string;
}

export interface ConsoleStackOptions extends Pick<StackOptions, "shape"> {
  /** In addition to admin and idp. */
  readonly services?: StackOptions["services"];
  readonly engines?: number;
  /** `auth.backends.order` */
  readonly order?: readonly string[];
  /** Whether IMAP knows accounts by their `uid`. */
  readonly hasMailSearch?: boolean;
  /** Merged into `auth.backends`. */
  readonly backends?: Tree;
  /** Environment of all services, including those that are started later. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Steps of the codes that operators of the last stack have used. */
const lastSteps = new Map<string, number>();

/** A gateway with a console, admin, idp and engines. With `shape: "five"` or several engines, two replicas of admin. */
export async function startConsoleStack(
  settings: Tree = {},
  {
    engines = 1,
    order = ["sql"],
    hasMailSearch = false,
    backends: more = {},
    env = {},
    shape,
    services = [],
  }: ConsoleStackOptions = {},
): Promise<ConsoleStack> {
  await using started = new AsyncDisposableStack();
  lastSteps.clear();
  const folder = started.use(await scratchFolder());
  const seedFile = join(folder.path, "seed.sql");
  await writeFile(seedFile, [await readFile(demoSeedFile, "utf8"), ...rows].join("\n"));
  const [httpPort, consolePort] = [await freePort(), await freePort()];
  const issuer = `http://localhost:${httpPort}`;
  const url = `http://127.0.0.1:${consolePort}`;
  const auditFile = join(folder.path, "audit.log");
  const stack = started.use(
    await startStack({
      redis: true,
      engines,
      env,
      shape,
      httpPort,
      services: ["admin", "idp", ...services],
      backends: merged(backends(folder.path, seedFile, { order, hasMailSearch }), more),
      settings: merged(settingsOf(issuer, url, auditFile), settings),
    }),
  );
  const first = { url: stack.adminUrl, process: stack.service("admin") };
  const second = stack.isOneProcess ? first : await stack.startReplica("admin");
  const owned = started.move();
  return {
    stack,
    url,
    issuer,
    auditFile,
    second,
    directoryFile: join(folder.path, "directory.sqlite"),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const stepNow = (): number => Math.floor(Date.now() / 30_000);

/**
 * A code that was not used yet; the identity provider accepts those of the step before and after too. That of the step before has to be
 * accepted until it is typed, on a slow machine too. An operator who has used all of them waits for the next step.
 */
async function newCode(name: OperatorName): Promise<string> {
  const first = Date.now() % 30_000 < 12_000 ? stepNow() - 1 : stepNow();
  const step = Math.max((lastSteps.get(name) ?? 0) + 1, first);
  lastSteps.set(name, step);
  await poll(`a new code of ${name}`, () => step <= stepNow() + 1);
  return totpCode(secrets[name] ?? "", step);
}

/** Fills in the identity provider's pages. */
export async function passFactors(page: Page, name: OperatorName): Promise<void> {
  const nameField = page.getByLabel("Username or email address");
  await page.getByLabel("Password", { exact: true }).waitFor();
  if (await nameField.isEditable()) await nameField.fill(`${name}@example.test`);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  if (secrets[name] === undefined) return;
  await page.getByLabel("Six-digit code").fill(await newCode(name));
  await page.getByRole("button", { name: "Verify", exact: true }).click();
}

/** Sends the first form of a page, as its button would. */
async function submit(
  context: BrowserContext,
  page: APIResponse,
  fields: Record<string, string>,
): Promise<APIResponse> {
  const { action, hidden } = formOf({ text: await page.text(), url: page.url() });
  const { href, origin } = new URL(action, page.url());
  return context.request.post(href, { headers: { origin }, form: { ...hidden, ...fields } });
}

/** Signs in with the requests of the identity provider's pages, without loading the pages. */
async function signIn(context: BrowserContext, { url }: ConsoleStack, name: OperatorName): Promise<void> {
  const passwordPage = await context.request.get(`${url}/console`);
  const answer = await submit(context, passwordPage, { username: `${name}@example.test`, password });
  if (secrets[name] !== undefined) await submit(context, answer, { code: await newCode(name) });
}

/** Signs in without the pages of the identity provider, opens the console in a new page, and waits for its first page. */
export async function openConsole(context: BrowserContext, desk: ConsoleStack, name: OperatorName): Promise<Page> {
  await signIn(context, desk, name);
  const page = await context.newPage();
  await page.goto(`${desk.url}/console`);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  return page;
}

/** Where people search on every page. */
export const searchLabel = "Account, alias, address, network or reference";

/** An action on a page or in a part of it, by its label; about one of several things by a text beside it. */
export function actionIn(page: Page, label: string, { within = page.locator("main"), about = "" } = {}): Locator {
  const named = page.locator("summary", { hasText: label });
  return within.locator("details:not(:has(details))").filter({ has: named }).filter({ hasText: about });
}

/** Opens the form of an action, in the menu of the others if it is there. */
export async function openAction(item: Locator): Promise<void> {
  const menu = item.locator("xpath=ancestor::details[contains(@class, 'more-actions') and not(@open)]/summary");
  if ((await menu.count()) > 0) await menu.click();
  await item.locator("summary").click();
}

/** A line of the audit stream. */
export interface AuditLine {
  readonly event: string;
  readonly outcome: string;
  readonly actor?: string;
  readonly target?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly item?: string;
  readonly domain?: string;
}

/** The lines of one event. */
export function auditLines({ auditFile }: ConsoleStack, event: string): readonly AuditLine[] {
  const lines = readFileSync(auditFile, "utf8").trimEnd().split("\n");
  return lines.map((line): AuditLine => JSON.parse(line)).filter((line) => line.event === event);
}

/** What the browser would send to the console. */
export async function cookieHeader(context: BrowserContext, { url }: ConsoleStack): Promise<string> {
  const cookies = await context.cookies(url);
  return cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
}

/** Posts an action as a browser would, with the origin of the console unless another is given; empty: none. */
export function postAction(
  { url }: ConsoleStack,
  action: string,
  { cookie, origin = url, form }: { cookie: string; origin?: string; form: Readonly<Record<string, string>> },
): Promise<Response> {
  return fetch(`${url}/console/actions/${action}`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie, ...(origin !== "" && { origin }) },
    body: new URLSearchParams(form),
  });
}
