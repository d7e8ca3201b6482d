import { normalisedProtocol } from "../../../contracts/auth/request.ts";
import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import { type BackendEntry, parseBackendEntry } from "./backends.ts";
import type { Judgement } from "./judgement.ts";

interface Asker {
  readonly protocol: string;
  readonly who: string;
}

/** Protocols with which Postern itself queries backends. Mail servers send their own. */
function askersOf({ identity, auth }: Config): readonly Asker[] {
  const { frontend, oidc, saml } = identity;
  const { jwt } = auth.backchannel;
  return [
    ...(frontend.enabled ? [{ protocol: "idp", who: "used by the account page" }] : []),
    ...(frontend.enabled && oidc.enabled ? [{ protocol: "oidc", who: "used by OpenID Connect sign-ins" }] : []),
    ...(frontend.enabled && saml.enabled ? [{ protocol: "saml", who: "used by SAML sign-ins" }] : []),
    ...(jwt.enabled && jwt.directory_roles.length > 0
      ? [{ protocol: "jwt", who: "used by POST /api/v1/jwt/token" }]
      : []),
  ];
}

/** Protocols that an entry of the order serves; undefined: all. */
function servedBy({ backends }: Config["auth"], { kind, pool }: BackendEntry): ReadonlySet<string> | undefined {
  if (kind === "lua") {
    const { search } = backends.lua.backend;
    return search.length === 0
      ? undefined
      : new Set(search.flatMap(({ protocol }) => protocol.map(normalisedProtocol)));
  }
  const poolName = kind === "sql" ? (pool ?? "default") : pool;
  const searches = kind === "sql" ? backends.sql.search : backends.ldap.search;
  const used = searches.filter(({ pool_name }) => poolName === undefined || pool_name === poolName);
  return new Set(used.flatMap(({ protocol }) => protocol.map(normalisedProtocol)));
}

/** Warns about protocols that no search lists, which fail for all users, and that some backends do not list, which fail for their users. */
export function validateProtocolCoverage(config: Config, { warning }: Judgement): void {
  const { order } = config.auth.backends;
  const entries = order.flatMap((text, index) => {
    const parsed = parseBackendEntry(text);
    return parsed === undefined ? [] : [{ index, served: servedBy(config.auth, parsed) }];
  });
  for (const { protocol, who } of askersOf(config)) {
    const lacking = entries.filter(({ served }) => served !== undefined && !served.has(protocol) && !served.has("*"));
    if (lacking.length === 0) continue;
    if (lacking.length === entries.length) warning("auth.backends.order", messages.pagesNotServed(protocol, who));
    else
      for (const { index } of lacking) {
        warning(`auth.backends.order[${index}]`, messages.pagesNotServedBy(protocol, who));
      }
  }
}
