import { isLoopback } from "../../net/ip.ts";
import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import { parseBackendEntry } from "./backends.ts";
import type { Judgement } from "./judgement.ts";

const root = "runtime.console";

function validateUrl(text: string, { problem }: Judgement): void {
  const url = URL.parse(text);
  if (url === null) return;
  if (url.origin !== text) problem(`${root}.url`, messages.consoleOrigin);
  const host = url.hostname.replaceAll(/[[\]]/gu, "");
  if (url.protocol === "http:" && host !== "localhost" && !isLoopback(host))
    problem(`${root}.url`, messages.httpIssuer);
}

interface Search {
  readonly protocol: readonly string[];
  readonly pool_name: string;
  readonly mapping: { readonly account_field: string };
}

function searchesFor(protocol: string, searches: readonly Search[]): readonly Search[] {
  const named = searches.filter((search) => search.protocol.includes(protocol));
  return named.length > 0 ? named : searches.filter((search) => search.protocol.includes("*"));
}

const fieldsOf = (searches: readonly Search[]): readonly string[] => [
  ...new Set(searches.map(({ mapping }) => mapping.account_field)),
];

/** Searches of a pool that name accounts otherwise than its searches for `oidc`. */
function otherFields(all: readonly Search[], pool: string, protocols: readonly string[]) {
  const searches = all.filter(({ pool_name }) => pool_name === pool);
  const expected = fieldsOf(searchesFor("oidc", searches));
  return protocols.flatMap((protocol) => {
    const serving = searchesFor(protocol, searches);
    if (expected.length === 0 || serving.length === 0 || fieldsOf(serving).join() === expected.join()) return [];
    const other = serving.findIndex(({ mapping }) => !expected.includes(mapping.account_field));
    return [{ protocol, index: all.findIndex((search) => search === serving[Math.max(0, other)]) }];
  });
}

/**
 * An enrolment is recorded under the account name of the pages on which the second factor was set up. The console looks it up under the name
 * of an OpenID Connect sign-in, and a factor without a record counts as set up with proof.
 */
function validateAccountFields({ auth, identity }: Config, { problem }: Judgement): void {
  const { order } = auth.backends;
  const entries = order.flatMap((entry) => parseBackendEntry(entry) ?? []);
  for (const kind of ["ldap", "sql"] as const) {
    const all: readonly Search[] = auth.backends[kind].search;
    // An SQL backend is one database. An LDAP backend without a pool queries all pools.
    const isUsed = (pool: string): boolean =>
      entries.some((entry) => entry.kind === kind && (entry.pool ?? (kind === "sql" ? "default" : pool)) === pool);
    for (const pool of new Set(all.map(({ pool_name }) => pool_name).filter(isUsed))) {
      for (const { index, protocol } of otherFields(all, pool, identity.saml.enabled ? ["idp", "saml"] : ["idp"]))
        problem(`auth.backends.${kind}.search[${index}].mapping.account_field`, messages.otherAccountField(protocol));
    }
  }
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
  if (storage.redis.encryption_secret === "") {
    problem("storage.redis.encryption_secret", messages.needsWhen(condition));
  }
  validateUrl(url, judgement);
  validateAccountFields(config, judgement);
  const client = identity.oidc.clients.find((one) => one.client_id === client_id);
  if (client_id === "") problem(`${root}.client_id`, messages.needsWhen(condition));
  else if (client === undefined) problem(`${root}.client_id`, messages.noSuchClient);
  else if (client.client_secret === "") problem(`${root}.client_id`, messages.clientNeedsSecret);
  if (Object.values(roles).every((values) => values.length === 0)) warning(`${root}.roles`, messages.noOperators);
}
