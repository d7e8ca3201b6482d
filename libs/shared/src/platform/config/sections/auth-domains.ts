import { isMapping } from "../../json/index.ts";
import { canonicalDomain } from "../../net/canonical-domain.ts";
import { messages } from "../messages.ts";
import { validateBackendEntry } from "./auth-backends.ts";
import { checkDomain, checkDomains, type Judgement, usesDomains } from "./checks.ts";
import {
  choice,
  duration,
  entries,
  flag,
  integer,
  liveSection,
  requiredText,
  section,
  structure,
  text,
  texts,
} from "./fields.ts";
import { domainBrand } from "./identity-frontend.ts";
import { checkMailServers, mailServers } from "./identity-mail-clients.ts";
import type { Config, DomainRecordConfig } from "./root.ts";
import { checkPool } from "./servers.ts";

/** What a record decides, whichever domain it is about. */
const rules = {
  backends: texts(
    "Backends that are queried about accounts of the domain, in this order, and no others: entries like those of auth.backends.order, except `cache`. If empty, those of auth.backends.order.",
  ),
  protocols: texts("Protocols with which users of the domain may sign in. If empty, all.", { form: "protocol" }),
  mail_credentials: choice(
    ["any", "app_passwords", "tokens"],
    "What mail programs of the domain's users may sign in with: any password or access token; app passwords and access tokens; or access tokens only. Sign-in pages and master users are not affected.",
  ),
  attributes: structure(
    "Values for policies, which read them as `auth.domain.attribute.<name>`: a text or a list of texts by name.",
  ),
};

export const DomainRecord = section("A domain.", {
  name: requiredText("The domain: the part of a user name after the @.", {
    example: "example.org",
  }),
  aliases: texts("Other domains whose names are names of this one: user@alias is user@name."),
  enabled: flag("Whether users of the domain may sign in.", { default: true }),
  message: text("Message for users while the domain is not enabled. If empty, that of a wrong password.", {
    maxLength: 200,
    form: "header-text",
  }),
  ...rules,
  second_factor: choice(
    ["optional", "required"],
    "Whether users of the domain must have a second factor. If `required`, a user without one sets it up at the next sign-in on the pages, and remembered devices do not take its place.",
  ),
  operators: structure(
    "Who may use the console for this domain's users only: roles as in runtime.console.roles, each with a list of groups of this domain's accounts, or of values of runtime.console.role_attribute.",
  ),
  mail: section(
    "Servers that mail clients of the domain and its aliases find, if identity.mail_clients is on. An entry of identity.mail_clients.domains takes precedence.",
    mailServers,
  ),
  brand: section(
    "Look of the pages once they know the domain: by an application with exactly one domain, `login_hint`, the name that was typed, or the session.",
    domainBrand,
  ),
});

const DomainSource = section(
  "Where a record is read that `records` does not have, on demand. Each column, attribute or field has the name of a key of `records`; the others have their defaults.",
  {
    kind: choice(["none", "sql", "ldap", "lua"], "What is queried."),
    pool: text("Database or LDAP pool of auth.backends that is queried, over connections of its own.", {
      default: "default",
      minLength: 1,
    }),
    query: text(
      "With `sql`: query that returns the row of the domain :domain, by name or alias, and no row for a domain that is not served. Lists are texts with commas, or arrays of PostgreSQL; attributes and sections such as `mail` are JSON objects.",
    ),
    base_dn: text("With `ldap`: base of the search."),
    filter: text(
      "With `ldap`: filter that finds the entry of a domain by name or alias. %{domain} is the domain, such as `(|(associatedDomain=%{domain})(aliasDomain=%{domain}))`.",
    ),
    attributes: structure("With `ldap`: attribute of each key, such as `name: associatedDomain`."),
    script_path: text(
      "With `lua`: path of a script whose function `domain` gets a table with `domain`, and returns a table with the keys, or nothing for a domain that is not served.",
    ),
    backends: texts(
      "Backends that records of the source may name, besides those that auth.backends.order or `records` name.",
    ),
    timeout: duration("2s", "Timeout of a query.", { minimum: 10, maximum: 60_000 }),
    lifetime: duration("1m", "Time for which a process keeps a record, or the answer that there is none.", {
      minimum: 1000,
      maximum: 86_400_000,
    }),
    outage_lifetime: duration("1d", "Time for which a record that was read is used while the source does not answer.", {
      maximum: 30 * 86_400_000,
    }),
    max_records: integer(20_000, "Number of records that a process keeps. It keeps as many unknown domains.", {
      minimum: 1,
      maximum: 1_000_000,
    }),
    max_unknown_per_second: integer(
      200,
      "Number of queries in a second that find no record, because attackers choose names. Names of further domains that a process does not know are temporary failures until the next second.",
      { minimum: 1, maximum: 100_000 },
    ),
  },
);

/** Rules by domain (ADR 0273). */
export const Domains = liveSection(
  "Domains with rules of their own. Without `records` and a source, all domains are decided by auth.backends.order.",
  {
    default_domain: text("Domain of user names without one. If empty, they stay without."),
    records: entries("Records, which take precedence over those of the source.", DomainRecord),
    default: section("Rules of domains without a record, and of names without a domain.", {
      enabled: flag("Whether they may sign in. If not, they are denied like unknown users."),
      ...rules,
    }),
    source: DomainSource,
    addresses: section(
      "Mail addresses from backends that auth.backends.order does not list. Those of another domain are not released, because applications take addresses for accounts.",
      {
        attributes: texts(
          "Attributes with addresses or names like them. Those from which `email` and `preferred_username` are mapped are among them in any case.",
          { default: ["mail", "email", "eduPersonPrincipalName"] },
        ),
        domains: texts("Other domains whose addresses are released, whichever domain the account has."),
      },
    ),
  },
);

const root = "auth.domains";
/** Each is one more query for a name that no backend knows. */
const maxAliases = 16;

/** Entries that records name, and those of the source, with their paths; `cache` is no backend. */
export function domainBackends({ auth }: Config): readonly { readonly entry: string; readonly at: string }[] {
  const { records, default: others, source } = auth.domains;
  const lists = [
    ...records.map(({ backends }, index) => ({ backends, at: `${root}.records[${index}].backends` })),
    { backends: others.backends, at: `${root}.default.backends` },
    { backends: source.backends, at: `${root}.source.backends` },
  ];
  return lists.flatMap(({ backends, at }) => backends.map((entry, index) => ({ entry, at: `${at}[${index}]` })));
}

function isAttributes(value: unknown): boolean {
  return (
    isMapping(value) &&
    Object.entries(value).every(
      ([name, one]) =>
        /^[A-Za-z0-9_.-]{1,64}$/.test(name) &&
        (Array.isArray(one) ? one.every((text) => typeof text === "string") : typeof one === "string"),
    )
  );
}

const operatorRoles: ReadonlySet<string> = new Set(["helpdesk", "security", "admin"]);
const maxOperatorGroups = 100;

function isOperators(value: unknown): boolean {
  return (
    isMapping(value) &&
    Object.entries(value).every(
      ([role, groups]) =>
        operatorRoles.has(role) &&
        Array.isArray(groups) &&
        groups.length <= maxOperatorGroups &&
        groups.every((group) => typeof group === "string" && group.trim() !== ""),
    )
  );
}

/** @param path of the record, with a final dot, or empty */
export function checkRecord(record: DomainRecordConfig, path: string, judgement: Judgement): void {
  const { problem } = judgement;
  const { name, aliases, attributes, operators } = record;
  checkDomain(name, `${path}name`, judgement);
  if (aliases.length > maxAliases) problem(`${path}aliases`, messages.tooMany(maxAliases));
  checkDomains(aliases, `${path}aliases`, judgement);
  if (!isAttributes(attributes)) problem(`${path}attributes`, messages.mustBe("texts or lists of texts by name"));
  if (!isOperators(operators))
    problem(`${path}operators`, messages.mustBe("lists of groups for the roles helpdesk, security and admin"));
  const { imap, pop3, smtp } = record.mail;
  if ([imap, pop3, smtp].some(({ host }) => host !== "")) checkMailServers(record.mail, `${path}mail`, judgement);
}

/** The template of a query, which must contain the domain. */
function checkTemplate(text: string, placeholder: string, path: string, { problem }: Judgement): void {
  if (text !== "" && !text.includes(placeholder)) problem(path, messages.mustContain(placeholder));
}

function validateSource({ auth }: Config, judgement: Judgement): void {
  const { kind, pool, query, base_dn: base, filter, attributes, script_path: script } = auth.domains.source;
  const { sql, ldap } = auth.backends;
  const at = `${root}.source`;
  if (kind === "none") return;
  const needs = { sql: { query }, ldap: { base_dn: base, filter }, lua: { script_path: script } }[kind];
  for (const [name, value] of Object.entries(needs)) {
    if (value === "") judgement.problem(`${at}.${name}`, messages.needsWhen(`${at}.kind is ${kind}`));
  }
  if (kind === "lua") return;
  checkPool(kind === "sql" ? sql.pools : ldap.pools, pool, `${at}.pool`, judgement);
  if (kind === "sql") checkTemplate(query, ":domain", `${at}.query`, judgement);
  else checkTemplate(filter, "%{domain}", `${at}.filter`, judgement);
  if (!isAttributes(attributes)) judgement.problem(`${at}.attributes`, messages.mustBe("names of attributes by key"));
}

function checkRecords({ records }: Config["auth"]["domains"], judgement: Judgement): void {
  const seen = new Set<string>();
  records.forEach((record, index) => {
    const at = `${root}.records[${index}].`;
    checkRecord(record, at, judgement);
    [record.name, ...record.aliases].forEach((name, position) => {
      const domain = canonicalDomain(name) ?? name;
      const path = position === 0 ? `${at}name` : `${at}aliases[${position - 1}]`;
      if (seen.has(domain)) judgement.problem(path, messages.domainTwice);
      seen.add(domain);
    });
  });
}

/** `relay_domains` sees names as their records spell them. */
function compareRelayDomains({ controls, domains }: Config["auth"], { warning }: Judgement): void {
  const { enabled, relay_domains: relay } = controls;
  if (!enabled.includes("relay_domains") || relay.static.length === 0) return;
  const served = new Set(relay.static.map((name) => canonicalDomain(name) ?? name));
  domains.records.forEach(({ name }, index) => {
    if (!served.has(canonicalDomain(name) ?? name))
      warning(`${root}.records[${index}].name`, messages.domainNotRelayed(name));
  });
}

/** Applications and the webhook, which may be limited to domains. */
function checkLimits({ auth, identity }: Config, judgement: Judgement): void {
  const { records, source, default: others } = auth.domains;
  const isClosed = records.length > 0 && source.kind === "none" && !others.enabled;
  const served = new Set(records.flatMap(({ name, aliases }) => [name, ...aliases].map((one) => canonicalDomain(one))));
  const lists = [
    { domains: identity.notices.webhook.domains, at: "identity.notices.webhook" },
    ...identity.oidc.clients.map(({ domains }, index) => ({ domains, at: `identity.oidc.clients[${index}]` })),
    ...identity.saml.service_providers.map(({ domains }, index) => {
      return { domains, at: `identity.saml.service_providers[${index}]` };
    }),
  ];
  for (const { domains, at } of lists) {
    checkDomains(domains, `${at}.domains`, judgement);
    if (!isClosed) continue;
    domains.forEach((name, index) => {
      const domain = canonicalDomain(name);
      if (domain !== undefined && !served.has(domain)) {
        judgement.warning(`${at}.domains[${index}]`, messages.domainNotServed);
      }
    });
  }
}

export function validateDomains(config: Config, judgement: Judgement): void {
  const { domains } = config.auth;
  const { default_domain: own, default: others } = domains;
  const { problem, warning } = judgement;
  checkDomain(own, `${root}.default_domain`, judgement);
  checkDomains(domains.addresses.domains, `${root}.addresses.domains`, judgement);
  checkRecords(domains, judgement);
  if (!isAttributes(others.attributes))
    problem(`${root}.default.attributes`, messages.mustBe("texts or lists of texts by name"));
  for (const { entry, at } of domainBackends(config)) {
    if (entry.trim() === "cache") problem(at, messages.domainCache);
    else validateBackendEntry(config, judgement, { entry, at });
  }
  validateSource(config, judgement);
  checkLimits(config, judgement);
  if (usesDomains(config)) compareRelayDomains(config.auth, judgement);
  else if (others.enabled || domainBackends(config).length > 0) warning(root, messages.domainsUnused);
}
