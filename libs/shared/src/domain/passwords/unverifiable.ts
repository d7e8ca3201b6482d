/**
 * Why a stored password can never be verified. `locked`: sign-in by password was disabled deliberately. `unknown_scheme` and `damaged` (or
 * too costly to verify) are faults of the site's data.
 */
export const unverifiableReasons = ["locked", "unknown_scheme", "damaged"] as const;
export type UnverifiableReason = (typeof unverifiableReasons)[number];

/** Reasons that an operator has to correct. */
export type DataFault = Exclude<UnverifiableReason, "locked">;
export const dataFaults = ["unknown_scheme", "damaged"] as const satisfies readonly DataFault[];

/** Prefixes of schemes that are stored without `{SCHEME}`. */
const bareScheme = /^\$(?:argon2id?|2[aby]|1|3|5|6|7|y|gy|sha1|md5|apr1|pbkdf2(?:-[a-z0-9]+)?)[$,]/;

/**
 * No hash begins with `!` or `*`. shadow(5), passwd -l, Solaris (`*LK*`), LDAP servers and Django lock accounts with them.
 */
const isMarker = (text: string): boolean => text === "" || text.startsWith("!") || text.startsWith("*");

/** `isKnownPrefix`: whether the scheme in braces is supported. */
export function unverifiableReason(text: string, isKnownPrefix: (name: string) => boolean): UnverifiableReason {
  const prefixed = /^\{([A-Za-z0-9.-]+)\}/.exec(text);
  if (prefixed === null) {
    if (isMarker(text)) return "locked";
    return bareScheme.test(text) ? "damaged" : "unknown_scheme";
  }
  const [prefix, name = ""] = prefixed;
  if (!isKnownPrefix(name)) return "unknown_scheme";
  return isMarker(text.slice(prefix.length)) ? "locked" : "damaged";
}
