/** Words of scopes; the wire name is `<identifier>:<word>`. */
export type ScopeWord =
  | "authenticate"
  | "security"
  | "admin"
  | "audit_read"
  | "mfa_write"
  | "webauthn_read"
  | "webauthn_write";

/** Where the paths of API callers and of the MFA API begin. */
export const apiPrefix = "/api/v1";

/** The service that answers. */
export type Owner = "gateway" | "admin" | "idp";

/**
 * Who connects there: `back`, mail servers and operators; `front`, browsers and clients. `both` exists on the listeners of
 * either channel. `console`, the browsers of operators, exists on a separate listener only.
 */
export type Channel = "back" | "front" | "both" | "console";

/**
 * What the operations below one prefix have in common. The gateway forwards a family's prefix and everything below it to
 * the owner, which answers 404 to paths without an operation.
 */
export interface RouteFamily {
  readonly name: string;
  /** Matches itself and everything below it. */
  readonly prefix: string;
  readonly owner: Owner;
  readonly channel: Channel;
  /**
   * Bearer callers need one of these in addition to the base scope; if empty, the base scope suffices. An operation may
   * require others. If absent, only administrators may call what no operation opens.
   */
  readonly anyScope?: readonly ScopeWord[];
  /** The owner checks a password or token itself: the gateway treats its 401 as its own, delayed and counted. */
  readonly checksCredentials?: true;
  /** Nothing below the prefix, and only while the identity provider has pages. */
  readonly isPage?: true;
}

/** Scopes of operators: for what shows or changes the state of the site. */
export const operatorScopes = ["security", "admin"] as const;

export function defineFamily(family: RouteFamily): RouteFamily {
  return Object.freeze(family);
}
