import { DatabaseSync } from "node:sqlite";
import type { Browser, Page } from "../../support/browser.ts";
import { totpCode } from "../../support/totp-code.ts";
import { callback, follow, issuer, publicClient } from "../idp/authorization.ts";

export const entityId = "http://localhost:8080/saml/metadata";

/** Mail servers of a record. */
export const serversOf = (domain: string) => ({ imap: { host: `imap.${domain}` }, smtp: { host: `smtp.${domain}` } });
const records = [
  {
    name: "one.test",
    aliases: ["alias.test"],
    attributes: { tenant: "first", plan: ["mail", "files"] },
    mail: serversOf("one.test"),
  },
  {
    name: "two.test",
    attributes: { tenant: "second" },
    mail: serversOf("overruled.test"),
    brand: { default_language: "de" },
  },
];
const brand = {
  name: "Mail of One",
  accent_color: "#aa2200",
  links: { support_url: "https://help.one.test/" },
};
const source = {
  kind: "sql",
  query:
    "SELECT name, aliases, enabled, second_factor, attributes, mail, brand FROM domains WHERE :domain IN (name, aliases)",
  lifetime: "1s",
};

/** Settings with records and a source; `one` changes the record of one.test. */
export function settingsOf(logoFile: string, one: object = {}) {
  const [first, ...others] = records;
  const mapping = { claim: "tenant", attribute: "domain.tenant" };
  const tokens = { scopes: ["openid", "offline_access"], always_issue_refresh_token: true };
  const clients = [
    publicClient("open", { ...tokens, id_token_claims: { mappings: [mapping] } }),
    publicClient("limited", { ...tokens, name: "Intranet of One", domains: ["one.test"] }),
    {
      client_id: "mail-server",
      client_secret: "mail-server-secret-of-the-test",
      resource_server: true,
      scopes: [],
      grant_types: [],
    },
  ];
  const service_providers = [
    {
      entity_id: "urn:test:files",
      acs_url: "https://files.example.test/acs",
      domains: ["one.test"],
      attributes: [{ attribute: "domain.plan", name: "plan" }],
    },
  ];
  const saml = { enabled: true, entity_id: entityId, persistent_id_secret: "a-secret-of-names-0", service_providers };
  return {
    auth: { domains: { records: [{ ...first, brand: { ...brand, logo_file: logoFile }, ...one }, ...others], source } },
    identity: {
      frontend: { links: { privacy_policy_url: "https://site.test/privacy" } },
      mail_clients: { enabled: true, domains: [{ names: ["two.test"], ...serversOf("two.test") }] },
      oidc: { enabled: true, issuer, clients },
      saml,
    },
  };
}

/** Changes records of the source. */
export function change(file: string, sql: string): void {
  using database = new DatabaseSync(file);
  database.exec(sql);
}

/** An account with alice's password. */
export function addUser(file: string, name: string): void {
  using database = new DatabaseSync(file);
  const copy =
    "INSERT INTO users (username, password, display_name, mail, uid) SELECT :name, password, 'Copy', '', :name FROM users WHERE uid = 'alice'";
  database.prepare(copy).run({ name });
}

/** `authorize` sends its digest. */
const verifier = "verifier-".repeat(6);

/** The code with which the browser returns to the application. */
export const codeIn = ({ location = "" }: Page): string => new URL(location).searchParams.get("code") ?? "";

async function ask(at: Browser, path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const init = { method: "POST", body: new URLSearchParams(fields), headers };
  const { status, text } = await at.send(path, init);
  return { status, body: JSON.parse(text) };
}

export const redeem = (at: Browser, client_id: string, code: string) =>
  ask(at, "/oidc/token", {
    grant_type: "authorization_code",
    client_id,
    code,
    redirect_uri: callback,
    code_verifier: verifier,
  });
export const refresh = (at: Browser, client_id: string, refresh_token: string) =>
  ask(at, "/oidc/token", { grant_type: "refresh_token", client_id, refresh_token });
export const introspect = async (at: Browser, token: string) =>
  (
    await ask(
      at,
      "/oidc/introspect",
      { token },
      { authorization: `Basic ${Buffer.from("mail-server:mail-server-secret-of-the-test").toString("base64")}` },
    )
  ).body;
export const claimsIn = (idToken: string) =>
  JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString("utf8"));

export const setUpTotp = async (at: Browser, setup: Page): Promise<Page> => {
  const secret = (/<code class="secret">([A-Z2-7 ]+)</.exec(setup.text)?.[1] ?? "").replaceAll(" ", "");
  return follow(at, await at.submit(setup, { code: totpCode(secret) }));
};
