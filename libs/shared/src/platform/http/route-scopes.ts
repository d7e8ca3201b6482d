import { operations, routeFamilies, type ScopeWord } from "../../contracts/index.ts";

interface RouteScopes {
  /** Matches itself and everything below it. */
  readonly prefix: string;
  /** Absent: all methods. */
  readonly methods?: readonly string[];
  /** Any one of them is sufficient, in addition to the base scope; empty: only the base scope is required. */
  readonly anyScope: readonly ScopeWord[];
}

/** Up to its first parameter. */
function fixedPart(path: string): string {
  return path.split("/{", 1)[0] ?? path;
}

/**
 * Additional Bearer scopes: those of single operations, then those of families (docs/reference/api/management.yaml). The first
 * matching row applies.
 */
const routeScopes: readonly RouteScopes[] = [
  ...operations.flatMap(({ method, path, anyScope }) =>
    anyScope === undefined
      ? []
      : [{ prefix: fixedPart(path), methods: method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()], anyScope }],
  ),
  ...routeFamilies.flatMap(({ prefix, anyScope }) => (anyScope === undefined ? [] : [{ prefix, anyScope }])),
];

/** A path without a row is restricted to administrators. */
const unlisted: readonly ScopeWord[] = ["admin"];

/** Whether a path is the prefix or below it. */
export function isBelow(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

function covers({ prefix, methods }: RouteScopes, method: string, path: string): boolean {
  return (methods === undefined || methods.includes(method)) && isBelow(prefix, path);
}

/** The scope words of which a Bearer caller needs one; `path` is without query and percent-encoding. */
export function anyScopeOf(method: string, path: string): readonly ScopeWord[] {
  return routeScopes.find((row) => covers(row, method, path))?.anyScope ?? unlisted;
}

export function scopeName(identifier: string, word: ScopeWord): string {
  return `${identifier}:${word}`;
}
