import { isLoopback } from "../../net/ip.ts";
import { messages } from "../messages.ts";
import { parseBackendEntry, searchesOf } from "./auth-backends.ts";
import { checkEncryption, type Judgement, usesDomains } from "./checks.ts";
import { flag, liveSection, section, text, texts } from "./fields.ts";
import type { Config, LdapSearchConfig, SqlSearchConfig } from "./root.ts";

const role = (name: string) => texts(`Groups, or values of role_attribute, whose accounts have the role ${name}.`);

export const Console = section(
  "Console for operators in the browser. It exists if runtime.servers.http.console_address is set.",
  {
    url: text("Origin under which the operators' browsers reach the console, such as https://console.example.org.", {
      form: "http-url",
    }),
    client_id: text(
      "Client of the console in identity.oidc.clients. It has a client_secret, the scopes openid and profile, and /console/callback below url among its redirect_uris.",
      { maxLength: 200 },
    ),
    account_claim: text(
      "Claim of the ID token with the operator's account name. Users must not be able to change its value.",
      { default: "preferred_username", minLength: 1, maxLength: 128 },
    ),
    role_attribute: text(
      "Backend attribute that determines the roles of accounts. If empty, the names of their groups do. Users must not be able to change its values.",
      { maxLength: 256, reload: "live" },
    ),
    roles: liveSection("Who may use the console. An account with several roles has the highest.", {
      helpdesk: role("helpdesk, which may search, unban, flush and unlock"),
      security: role("security, which may also end sessions and reset second factors"),
      admin: role("admin, which may do everything"),
    }),
    backends: texts(
      "Entries of auth.backends.order whose accounts may have these roles, if domains have rules of their own: customers choose the groups of their own directories. Accounts of other backends have the roles that the record of their domain assigns in `operators`, for that domain only.",
      { reload: "live" },
    ),
    helpdesk_resets_factors: flag("Whether the role helpdesk may reset second factors.", { reload: "live" }),
  },
);

const root = "runtime.console";

function validateUrl(text: string, { problem }: Judgement): void {
  const url = URL.parse(text);
  if (url === null) return;
  if (url.origin !== text) problem(`${root}.url`, messages.consoleOrigin);
  const host = url.hostname.replaceAll(/[[\]]/gu, "");
  if (url.protocol === "http:" && host !== "localhost" && !isLoopback(host))
    problem(`${root}.url`, messages.httpIssuer);
}

type Search = LdapSearchConfig | SqlSearchConfig;

function searchesFor(protocol: string, searches: readonly Search[]): readonly Search[] {
  const named = searches.filter((search) => search.protocol.includes(protocol));
  return named.length > 0 ? named : searches.filter((search) => search.protocol.includes("*"));
}

const fieldsOf = (searches: readonly Search[]): readonly string[] => [
  ...new Set(searches.map(({ mapping }) => mapping.account_field)),
];

/** The search for a protocol whose account field is not among those for OpenID Connect sign-ins. */
function deviating(searches: readonly Search[], protocol: string): Search | undefined {
  const expected = fieldsOf(searchesFor("oidc", searches));
  const serving = searchesFor(protocol, searches);
  if (expected.length === 0 || fieldsOf(serving).join() === expected.join()) return undefined;
  return serving.find(({ mapping }) => !expected.includes(mapping.account_field)) ?? serving[0];
}

/**
 * An enrolment is recorded under the account name of the pages on which the second factor was set up. The console looks it up under the name
 * of an OpenID Connect sign-in, and a factor without a record counts as set up with proof.
 */
function validateAccountFields({ auth, identity }: Config, { problem }: Judgement): void {
  const entries = auth.backends.order.flatMap((entry) => parseBackendEntry(entry) ?? []);
  for (const kind of ["ldap", "sql"] as const) {
    const all: readonly Search[] = auth.backends[kind].search;
    const used = entries.filter((entry) => entry.kind === kind).flatMap((entry) => searchesOf(auth, entry));
    const pools = Map.groupBy(new Set(used), ({ pool_name }) => pool_name);
    for (const protocol of identity.saml.enabled ? ["idp", "saml"] : ["idp"]) {
      const others = [...pools.values()].flatMap((searches) => deviating(searches, protocol) ?? []);
      for (const other of others) {
        const path = `auth.backends.${kind}.search[${all.indexOf(other)}].mapping.account_field`;
        problem(path, messages.otherAccountField(protocol));
      }
    }
  }
}

/** Who assigns a role of the site must be a backend of the site. */
function validateBackends(config: Config, { problem, warning }: Judgement): void {
  const { backends, roles } = config.runtime.console;
  const order = new Set(config.auth.backends.order.map((entry) => entry.trim()).filter((entry) => entry !== "cache"));
  backends.forEach((entry, index) => {
    if (!order.has(entry.trim())) problem(`${root}.backends[${index}]`, messages.notInOrder);
  });
  const hasRoles = Object.values(roles).some((values) => values.length > 0);
  if (hasRoles && backends.length === 0 && usesDomains(config)) warning(`${root}.backends`, messages.noSiteOperators);
}

/** While the console has a listener, it needs the identity provider and a client of it. */
export function validateConsole(config: Config, judgement: Judgement): void {
  const { runtime, identity, storage } = config;
  const { problem, warning } = judgement;
  const { url, client_id, roles } = runtime.console;
  const condition = "runtime.servers.http.console_address is set";
  if (runtime.servers.http.console_address.length === 0) return;
  if (url === "") problem(`${root}.url`, messages.needsWhen(condition));
  if (!identity.oidc.enabled) problem("identity.oidc.enabled", messages.needsWhen(condition));
  checkEncryption(storage.redis, condition, judgement);
  validateUrl(url, judgement);
  validateAccountFields(config, judgement);
  validateBackends(config, judgement);
  const client = identity.oidc.clients.find((one) => one.client_id === client_id);
  if (client_id === "") problem(`${root}.client_id`, messages.needsWhen(condition));
  else if (client === undefined) problem(`${root}.client_id`, messages.noSuchClient);
  else if (client.client_secret === "") problem(`${root}.client_id`, messages.clientNeedsSecret);
  const isLeftToDomains = usesDomains(config);
  if (!isLeftToDomains && Object.values(roles).every((values) => values.length === 0))
    warning(`${root}.roles`, messages.noOperators);
}
