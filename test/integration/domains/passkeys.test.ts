import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { type Browser, createBrowser } from "../../support/browser.ts";
import { demoSeedFile } from "../../support/demo-users.ts";
import type { SoftAuthenticator } from "../../support/soft-authenticator.ts";
import { demoBackends, merged } from "../../support/stack-config.ts";
import { authorize, issuer, publicClient } from "../idp/authorization.ts";
import { type IdpStack, mfa, startIdpStack } from "../idp/idp-stack.ts";
import { addOldPasskey, addPasskey, csrfIn, fetchPublicKeyOptions, finish, home } from "../idp/passkey-steps.ts";
import { addUser } from "./idp-site.ts";

const owned = new AsyncDisposableStack();
let idp: IdpStack;
let file: string;

/** Two domains whose accounts are in the site's backend, and one whose accounts are in a backend of its own. */
beforeAll(async () => {
  const { path } = owned.use(await scratchFolder());
  const third = join(path, "third.sqlite");
  file = join(path, "directory.sqlite");
  const demo = Object(demoBackends(path));
  const search = merged(demo.sql.search[0], { mfa });
  const sql = {
    ...demo.sql,
    pools: { third: { file: third, seed_file: demoSeedFile } },
    search: [search, { ...search, pool_name: "third" }],
  };
  const records = [
    { name: "example.test", aliases: ["alias.test"] },
    { name: "other.test" },
    { name: "third.test", backends: ["sql(third)"] },
  ];
  const client = publicClient("of-third", { domains: ["third.test"] });
  idp = owned.use(
    await startIdpStack(
      { auth: { domains: { records } }, identity: { oidc: { enabled: true, issuer, clients: [client] } } },
      { services: ["admin"], others: { ...demo, sql } },
    ),
  );
  addUser(file, "alice@other.test");
  addUser(third, "alice@third.test");
});

afterAll(() => owned.disposeAsync());

interface Try {
  /** In place of the authenticator's. */
  readonly handle?: string | undefined;
  /** The application; that of the account without one. */
  readonly client?: string;
}

/** Signs in with the passkey alone. @returns the account's name on the page of the account, or the status of the refusal */
async function signIn(key: SoftAuthenticator, { handle, client }: Try = {}): Promise<unknown> {
  const browser = createBrowser(idp.replicas);
  const login = client === undefined ? await browser.open(home) : await authorize(browser, client);
  const begin = login.url.replace("/login?", "/login/webauthn/begin?");
  const credential = Object(key.get(await fetchPublicKeyOptions(browser, begin)));
  if (handle !== undefined) credential.response.userHandle = Buffer.from(handle).toString("base64url");
  const [status] = await finish(browser, "/login/webauthn/finish", csrfIn(login), { credential });
  return status === 200 ? accountOf(browser) : status;
}

async function accountOf(browser: Browser): Promise<string | undefined> {
  return /alice@[a-z]+\.test/u.exec((await browser.get(home)).text)?.[0];
}

test("a passkey signs in without a name, although its random handle belongs to no domain", async () => {
  const { key } = await addPasskey(idp, "alice");
  expect(await signIn(key)).toBe("alice@example.test");
});

test("a passkey never signs in the account of the same name in another domain, whatever handle comes with it", async () => {
  using backend = new DatabaseSync(file);
  backend.exec("DELETE FROM postern_webauthn");
  const { key } = await addPasskey(idp, "alice");
  expect([
    await signIn(key, { handle: "alice@other.test" }),
    await signIn(key, { handle: "alice@alias.test" }),
  ]).toEqual([400, 400]);
  backend.exec("DELETE FROM postern_webauthn");
  const old = await addOldPasskey(idp, backend, "alice");
  // These have no handle to compare: the account is the one that holds the passkey.
  for (const handle of [undefined, "alice@alias.test", "alice@other.test"])
    expect(await signIn(old, { handle })).toBe("alice@example.test");
});

test("a passkey is no second factor of another domain's account, and cannot be registered for it", async () => {
  using backend = new DatabaseSync(file);
  backend.exec("DELETE FROM postern_webauthn");
  const { key } = await addPasskey(idp, "alice");
  const path = "/api/v1/mfa-backchannel/webauthn/credential";
  const listed = await askAdmin(idp.stack, "GET", `${path}?username=alice@example.test`);
  const [credential] = Object(listed.body).credentials;
  const body = { username: "alice@other.test", credential };
  const error = expect.stringContaining("another account holds this credential");
  expect(await askAdmin(idp.stack, "POST", path, { body })).toMatchObject({ status: 400, text: error });
  expect(await signIn(key)).toBe("alice@example.test");
});

test("without a name, a passkey in a customer's backend signs in to an application of its domain only", async () => {
  const { key } = await addPasskey(idp, "alice", "third.test");
  expect([await signIn(key), await signIn(key, { client: "of-third" })]).toEqual([400, "alice@third.test"]);
});
