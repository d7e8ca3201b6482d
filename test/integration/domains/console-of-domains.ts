import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { poll } from "@postern/testing";
import type { APIResponse, Browser } from "playwright-core";
import { formOf } from "../../support/browser.ts";
import { demoSeedFile } from "../../support/demo-users.ts";
import { totpCode } from "../../support/totp-code.ts";

/** Argon2id (m=64, t=1, p=1) of `password`, as in the demo of the tests. */
const hash = "$argon2id$v=19$m=64,t=1,p=1$K9gGyX8OAK8aH8Myj6djqQ$QOSKaOmJK9DK/U25o9b6ZB+iwQ/4VoI+wA4UoXPXAzc";
export const password = "alice-demo-password";

/** Everyone in the directories has this authenticator app. */
const customersSecret = "JBSWY3DPEHPK3PXP";

/** A customer's directory: names, each with the value of the attribute that the roles are read from. */
export function createDirectory(folder: string, domain: string, people: Readonly<Record<string, string>>): string {
  const file = join(folder, `${domain}.sqlite`);
  using database = new DatabaseSync(file);
  // With the tables of second factors.
  database.exec(`${readFileSync(demoSeedFile, "utf8")}; DELETE FROM users`);
  const insert = database.prepare(
    "INSERT INTO users (username, password, display_name, mail, uid, totp_secret) VALUES (?1, ?2, ?1, ?1, ?3, ?4)",
  );
  for (const [name, uid] of Object.entries(people)) insert.run(`${name}@${domain}`, hash, uid, customersSecret);
  return file;
}

/** A search of `auth.backends.sql` in a customer's directory. */
export const searchOf = (pool: string) => ({
  protocol: ["*"],
  cache_name: "customer",
  pool_name: pool,
  queries: { user: "SELECT username AS account, password, uid FROM users WHERE username = :username" },
  mfa: {
    enabled: true,
    queries: {
      totp_read: "SELECT totp_secret FROM users WHERE username = :account",
      totp_write: "UPDATE users SET totp_secret = :secret WHERE username = :account",
      totp_delete: "UPDATE users SET totp_secret = NULL WHERE username = :account",
    },
  },
  mapping: { account_field: "account", password_column: "password" },
  attribute: ["uid"],
});

/** An operator's browser that has signed in, or was refused. */
export interface Desk {
  get(path: string): Promise<APIResponse>;
  post(path: string, fields: Readonly<Record<string, string>>): Promise<APIResponse>;
  /** The search for a text, or the page of an account, as the operator sees it. */
  find(page: "search" | "account", query: string): Promise<string>;
  /** The first page after the sign-in. */
  readonly first: string;
}

const stepNow = (): number => Math.floor(Date.now() / 30_000);

/** Signs in to the console with password and code, without scripts. The code of the last step is accepted too, so each operator signs in once. */
export async function openDesk(
  browser: Browser,
  url: string,
  username: string,
  secret = customersSecret,
): Promise<Desk> {
  const context = await browser.newContext({ locale: "en-US" });
  const submit = async (page: APIResponse, fields: Readonly<Record<string, string>>): Promise<APIResponse> => {
    const { action, hidden } = formOf({ text: await page.text(), url: page.url() });
    const { href, origin } = new URL(action, page.url());
    return context.request.post(href, { headers: { origin }, form: { ...hidden, ...fields } });
  };
  const codePage = await submit(await context.request.get(`${url}/console`), { username, password });
  await submit(codePage, { code: totpCode(secret, stepNow()) });
  const first = await (await context.request.get(`${url}/console`)).text();
  const token = /name="csrf_token" value="([^"]+)"/u.exec(first)?.[1] ?? "";
  const get = (path: string): Promise<APIResponse> =>
    context.request.get(`${url}${path}`, { maxRedirects: 0, headers: { accept: "text/html" } });
  const post: Desk["post"] = (path, fields) =>
    context.request.post(`${url}${path}`, {
      maxRedirects: 0,
      headers: { origin: url },
      form: { csrf_token: token, ...fields },
    });
  return {
    first,
    get,
    post,
    find: async (page, query) => {
      const { location = "" } = (await post(`/console/${page}`, { query })).headers();
      return (await get(location)).text();
    },
  };
}

/** Waits for an answer with this status. */
export async function becomes(desk: Desk, path: string, status: number): Promise<void> {
  await poll(`${path} becomes ${status}`, async () => (await desk.get(path)).status() === status);
}
