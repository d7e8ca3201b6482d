import { DatabaseSync } from "node:sqlite";
import { type Browser, createBrowser, type Page } from "../../support/browser.ts";
import { basicOf } from "../../support/dialects.ts";
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

const resourceServer = (name: string, more: object = {}) => ({
  client_id: name,
  client_secret: `${name}-secret-of-the-test`,
  resource_server: true,
  scopes: [],
  grant_types: [],
  ...more,
});
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** Settings with records and a source; `one` changes the record of one.test. */
export function settingsOf(logoFile: string, one: object = {}) {
  const [first, ...others] = records;
  const mapping = { claim: "tenant", attribute: "domain.tenant" };
  const tokens = { scopes: ["openid", "offline_access"], always_issue_refresh_token: true };
  const clients = [
    publicClient("open", { ...tokens, id_token_claims: { mappings: [mapping] } }),
    publicClient("limited", { ...tokens, name: "Intranet of One", domains: ["one.test"] }),
    resourceServer("mail-server"),
    resourceServer("mail-server-of-one", { domains: ["one.test"] }),
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
      oidc: {
        enabled: true,
        issuer,
        clients,
        dynamic_registration: { enabled: true, open: true, grant_types: ["authorization_code", deviceGrant] },
      },
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

/** The hosts in the settings for mail clients. */
export const hostsIn = (page: Page) => [...page.text.matchAll(/<hostname>([^<]+)/g)].map(([, host]) => host);

/** How a page looks. */
export const look = ({ text }: Page) => ({
  name: /<title>[^<]* – ([^<]*)<\/title>/.exec(text)?.[1],
  stylesheet: /<link rel="stylesheet" href="([^"]+)">/.exec(text)?.[1] ?? "",
});

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
export const introspect = async (at: Browser, token: string, server = "mail-server") => {
  const authorization = basicOf(server, `${server}-secret-of-the-test`);
  return (await ask(at, "/oidc/introspect", { token }, { authorization })).body;
};

/** The page after the code of a device, whose client has registered itself at another replica than the browser's. */
export async function approveDevice([one, other]: readonly [string, string], { cookies }: Browser): Promise<Page> {
  const [device, user] = [createBrowser([one]), createBrowser([other])];
  for (const [name, value] of cookies) user.cookies.set(name, value);
  const registration = { grant_types: [deviceGrant], response_types: [], token_endpoint_auth_method: "none" };
  const registered = await device.send("/oidc/register", {
    method: "POST",
    body: JSON.stringify(registration),
    headers: { "content-type": "application/json" },
  });
  const { client_id } = JSON.parse(registered.text);
  const { body } = await ask(device, "/oidc/device", { client_id, scope: "openid" });
  return follow(user, await user.submit(await user.get("/oidc/device/verify"), { user_code: body.user_code }));
}

/** Audit lines of accounts that an application for other domains refused. */
export const refusedIn = (outputs: readonly string[]): readonly Record<string, unknown>[] =>
  outputs
    .flatMap((output) => output.split("\n"))
    .filter((line) => line.includes('"reason":"other_domain"'))
    .map((line) => JSON.parse(line));

export const claimsIn = (idToken: string) =>
  JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString("utf8"));

export const setUpTotp = async (at: Browser, setup: Page): Promise<Page> => {
  const secret = (/<code class="secret">([A-Z2-7 ]+)</.exec(setup.text)?.[1] ?? "").replaceAll(" ", "");
  return follow(at, await at.submit(setup, { code: totpCode(secret) }));
};
