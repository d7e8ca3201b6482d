import { operations } from "@postern/shared/contracts";
import type { VerifiedToken } from "@postern/shared/domain/tokens";
import { anyScopeOf, createMethodTable, routeOf, scopeName } from "@postern/shared/platform/http";
import { pathOf } from "../http/request-path.ts";

/** The scopes that a route requires of a caller with a token, by their wire names. */
export interface ScopeNeed {
  readonly base: string;
  /** Any one of them is sufficient; empty: only the base scope is required. */
  readonly anyScope: readonly string[];
}

export interface RouteDemand<Request> {
  readonly needOf: (request: Request) => ScopeNeed;
  /** The operation of a request; undefined if no operation serves it. Asked for callers with a list of operations, or of domains, only. */
  readonly actionOf: (request: Request) => string | undefined;
}

/** The scopes of each route with this site's names. */
export function createNeedOf(identifier: string) {
  const base = scopeName(identifier, "authenticate");
  return (method: string, url: string): ScopeNeed => ({
    base,
    anyScope: anyScopeOf(method, pathOf(url)).map((word) => scopeName(identifier, word)),
  });
}

/** The scopes that a token lacks, for the challenge of a 403 (RFC 6750 §3.1); all alternatives are listed. */
export function lackingScopes({ scopes }: VerifiedToken, { base, anyScope }: ScopeNeed): readonly string[] {
  const alternatives = anyScope.some((scope) => scopes.includes(scope)) ? [] : anyScope;
  return [...(scopes.includes(base) ? [] : [base]), ...alternatives];
}

/**
 * An access token needs the base scope everywhere, and one of the route's scopes. A token of the JWT endpoints contains roles instead, each
 * of which grants its own routes.
 */
export function opens({ kind, scopes }: VerifiedToken, { base, anyScope }: ScopeNeed): boolean {
  const hasBase = scopes.includes(base);
  if (anyScope.length === 0) return hasBase;
  return (hasBase || kind === "service") && anyScope.some((scope) => scopes.includes(scope));
}

/**
 * The operation that a request asks another service for, as the lists of callers name it; undefined if no operation serves it. It is found
 * by the router that those services use: any spelling of a path that the service accepts means the same operation here.
 */
export function createForwardedActionOf() {
  const table = createMethodTable();
  const actions = new Map<string, string>();
  for (const operation of operations) {
    const { family, security, operationId } = operation;
    if (family.owner === "gateway" || !(security === "backchannel" || security === "hook")) continue;
    const { method, url } = routeOf(operation);
    table.add(method, url);
    actions.set(`${method} ${url}`, operationId);
  }
  return (method: string, url: string): string | undefined => {
    const pattern = table.find(url)?.pattern;
    return pattern === undefined ? undefined : actions.get(`${method === "HEAD" ? "GET" : method} ${pattern}`);
  };
}
