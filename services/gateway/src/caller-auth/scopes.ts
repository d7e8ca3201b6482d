import type { VerifiedToken } from "@postern/shared/domain/tokens";
import { anyScopeOf, scopeName } from "@postern/shared/platform/http";
import { pathOf } from "../request-path.ts";

/** The scopes that a route requires of a caller with a token, by their wire names. */
export interface ScopeNeed {
  readonly base: string;
  /** Any one of them is sufficient; empty: only the base scope is required. */
  readonly anyScope: readonly string[];
}

export type NeedOf = (method: string, url: string) => ScopeNeed;

/** The scopes of each route with this site's names. */
export function createNeedOf(identifier: string): NeedOf {
  const base = scopeName(identifier, "authenticate");
  return (method, url) => ({
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
