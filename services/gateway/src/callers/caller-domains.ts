import type { AuthPolicyLogin, AuthRequest } from "@postern/shared/contracts";
import { type CallerDomains, comparableDomain } from "@postern/shared/domain/domains";
import type { VerifiedToken } from "@postern/shared/domain/tokens";
import { type Config, callerDefaultDomain } from "@postern/shared/platform/config";

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

/** Finds what the owner of a token may reach, by `identity.oidc.clients` and `auth.backchannel.jwt.users`; undefined if none has a limit. */
export function tokenDomains({
  auth,
  identity,
}: Config): ((token: VerifiedToken) => CallerDomains | undefined) | undefined {
  const clients = byOwner(identity.oidc.clients.map((client) => [client.client_id, client]));
  const users = byOwner(auth.backchannel.jwt.users.map((user) => [user.username, user]));
  if (clients.size === 0 && users.size === 0) return undefined;
  return ({ kind, clientId, subject }) => (kind === "service" ? users.get(subject) : clients.get(clientId));
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
