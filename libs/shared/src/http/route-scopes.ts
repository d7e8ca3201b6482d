/** Words of scopes; the wire name is `<identifier>:<word>`. */
export type ScopeWord = "authenticate" | "security" | "admin" | "mfa_write" | "webauthn_read" | "webauthn_write";

export interface RouteScopes {
  /** The route family, as the contract's table names it. */
  readonly family: string;
  /** Each stands for itself and everything below it. */
  readonly prefixes: readonly string[];
  /** Absent: every method. */
  readonly methods?: readonly string[];
  /** Any one of them suffices, beyond the base scope; none: the base scope is all. */
  readonly anyScope: readonly ScopeWord[];
}

const operators = ["security", "admin"] as const;
const mfa = "/api/v1/mfa-backchannel";

/** Contract, "Backchannel callers": additional Bearer scopes of each route family. The first row that fits counts. */
export const routeScopes: readonly RouteScopes[] = [
  { family: "authentication", prefixes: ["/api/v1/auth"], anyScope: [] },
  { family: "management OpenAPI", prefixes: ["/api/v1/openapi.yaml", "/api/v1/openapi.json"], anyScope: [] },
  { family: "cache flush", prefixes: ["/api/v1/cache"], anyScope: operators },
  { family: "brute force", prefixes: ["/api/v1/bruteforce"], anyScope: operators },
  { family: "async jobs", prefixes: ["/api/v1/async"], anyScope: operators },
  { family: "OIDC sessions", prefixes: ["/api/v1/oidc/sessions"], anyScope: operators },
  // The contract's table leaves it out; it shows more than any flush does.
  { family: "configuration", prefixes: ["/api/v1/config"], anyScope: operators },
  { family: "MFA state", prefixes: [`${mfa}/totp`], methods: ["POST", "DELETE"], anyScope: ["mfa_write", "admin"] },
  {
    family: "WebAuthn read",
    prefixes: [`${mfa}/webauthn`],
    methods: ["GET", "HEAD"],
    anyScope: ["webauthn_read", "admin"],
  },
  {
    family: "WebAuthn write",
    prefixes: [`${mfa}/webauthn`],
    methods: ["POST", "PUT", "DELETE"],
    anyScope: ["webauthn_write", "admin"],
  },
  // The hook's own scopes are looked at by its owner.
  { family: "custom hooks", prefixes: ["/api/v1/custom"], anyScope: [] },
  { family: "developer UI", prefixes: ["/api/v1/dev/ui"], anyScope: [] },
];

/** A route without a row is open to administrators alone. */
const unlisted: readonly ScopeWord[] = ["admin"];

function covers({ prefixes, methods }: RouteScopes, method: string, path: string): boolean {
  if (methods !== undefined && !methods.includes(method)) return false;
  return prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

/** The words of which a Bearer caller needs one; `path` without query and percent-encoding. */
export function anyScopeOf(method: string, path: string): readonly ScopeWord[] {
  return routeScopes.find((row) => covers(row, method, path))?.anyScope ?? unlisted;
}

export function scopeName(identifier: string, word: ScopeWord): string {
  return `${identifier}:${word}`;
}
