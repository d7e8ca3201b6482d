import type { AuthPolicyLogin, AuthRequest } from "@postern/shared/contracts";
import { type CallerDomains, comparableDomain } from "@postern/shared/domain/domains";
import type { VerifiedToken } from "@postern/shared/domain/tokens";
import { type Config, callerDefaultDomain, usesDomains } from "@postern/shared/platform/config";

interface Limits {
  readonly domains: readonly string[];
  readonly default_domain?: string;
}

/** Undefined for a caller that may reach all domains and means none by a name without one. */
export function callerDomainsOf(limits: Limits): CallerDomains | undefined {
  const defaultDomain = callerDefaultDomain(limits);
  const domains = limits.domains.map(comparableDomain);
  if (domains.length === 0 && defaultDomain === "") return undefined;
  return {
    ...(domains.length > 0 && { domains }),
    ...(defaultDomain !== "" && { defaultDomain: comparableDomain(defaultDomain) }),
  };
}

function byOwner(owners: readonly (readonly [name: string, limits: Limits])[]): ReadonlyMap<string, CallerDomains> {
  const limited = owners.flatMap(([name, limits]) => {
    const domains = callerDomainsOf(limits);
    return domains === undefined ? [] : [[name, domains] as const];
  });
  return new Map(limited);
}

/** A user of a directory reaches its own domain only: whoever writes the directory must not reach those of others. */
function ofOwnDomain(subject: string, siteDomain: string): CallerDomains {
  const at = subject.lastIndexOf("@");
  const name = at === -1 ? siteDomain : subject.slice(at + 1);
  return name === "" ? { domains: [] } : { domains: [comparableDomain(name)], defaultDomain: comparableDomain(name) };
}

/**
 * What the owner of a token may reach: undefined for all domains, "unknown" for an owner who may have been limited, until it was removed from
 * the configuration.
 */
export type TokenDomains = (token: VerifiedToken) => CallerDomains | "unknown" | undefined;

/**
 * Finds what the owner of a token may reach, by `identity.oidc.clients` and `auth.backchannel.jwt.users`; undefined if nobody has a limit.
 * Clients that registered themselves get no tokens for the back channel, and so are never missing in the configuration.
 */
export function tokenDomains(config: Config): TokenDomains | undefined {
  const { auth, identity } = config;
  const clients = new Set(identity.oidc.clients.map(({ client_id: id }) => id));
  const limitsOfClients = byOwner(identity.oidc.clients.map((client) => [client.client_id, client]));
  const users = new Set(auth.backchannel.jwt.users.map(({ username }) => username));
  const limitsOfUsers = byOwner(auth.backchannel.jwt.users.map((user) => [user.username, user]));
  const areUsed = usesDomains(config);
  if (limitsOfClients.size === 0 && limitsOfUsers.size === 0 && !areUsed) return undefined;
  return ({ kind, clientId, subject }) => {
    if (kind === "service") {
      const isOfDirectory = areUsed && !users.has(subject);
      return isOfDirectory ? ofOwnDomain(subject, auth.domains.default_domain) : limitsOfUsers.get(subject);
    }
    return limitsOfClients.size > 0 && !clients.has(clientId) ? "unknown" : limitsOfClients.get(clientId);
  };
}

/** What a caller means at a listener with a default domain: its own takes precedence. */
export function atListener(listener: CallerDomains | null, caller: CallerDomains | undefined): CallerDomains | null {
  return caller === undefined ? listener : { ...listener, ...caller };
}

/** A request with what its caller may reach; unchanged for other callers. */
export function ofCaller<Request extends AuthRequest | AuthPolicyLogin>(
  request: Request,
  caller: CallerDomains | null,
): Request {
  if (caller === null) return request;
  const { domains, defaultDomain } = caller;
  return {
    ...request,
    ...(domains !== undefined && { callerDomains: [...domains] }),
    ...(defaultDomain !== undefined && { defaultDomain }),
  };
}
