import { anyScopeOf, scopeName } from "@postern/shared/http";
import type { VerifiedToken } from "@postern/shared/tokens";

/** What a route asks of a caller who comes with a token, in wire names. */
export interface ScopeNeed {
  readonly base: string;
  /** Any one of them suffices; none: the base scope is all. */
  readonly anyScope: readonly string[];
}

export type NeedOf = (method: string, url: string) => ScopeNeed;

/** Without query and percent-encoding; what cannot be decoded has no row in the table. */
function pathOf(url: string): string {
  const [path = ""] = url.split("?", 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}

/** The contract's table of scopes with this site's names. */
export function createNeedOf(identifier: string): NeedOf {
  const base = scopeName(identifier, "authenticate");
  return (method, url) => ({
    base,
    anyScope: anyScopeOf(method, pathOf(url)).map((word) => scopeName(identifier, word)),
  });
}

/**
 * Contract, "Backchannel callers", rule 2: an access token needs the base scope everywhere, and one of the route's. A
 * token of the JWT endpoints carries roles instead: each opens its own routes (rule 1, "earlier versions").
 */
export function opens({ kind, scopes }: VerifiedToken, { base, anyScope }: ScopeNeed): boolean {
  const hasBase = scopes.includes(base);
  if (anyScope.length === 0) return hasBase;
  return (hasBase || kind === "service") && anyScope.some((scope) => scopes.includes(scope));
}
