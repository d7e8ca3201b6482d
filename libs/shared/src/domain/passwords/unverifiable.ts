import type { Clock } from "../../platform/time/clock.ts";

/**
 * Why a stored password can never be verified. `locked`: sign-in by password was disabled deliberately. `unknown_scheme` and `damaged` (or
 * too costly to verify) are faults of the site's data.
 */
export type UnverifiableReason = "locked" | DataFault;

/** Reasons that an operator has to correct. */
export const dataFaults = ["unknown_scheme", "damaged"] as const;
export type DataFault = (typeof dataFaults)[number];

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

/** Log fields about stored passwords that cannot be verified; never the stored text. */
export interface UnverifiableFault {
  readonly reason: DataFault;
  /** The account whose login was denied, if known. */
  readonly account?: string | undefined;
  /** Number of logins denied since the last line. */
  readonly denials: number;
}

/** At most one line per minute, because an account that signs in every few seconds must not fill the log. */
const everyMs = 60_000;

/**
 * Called for each login that was denied because its stored password can never be verified. Counts all of them that are faults of the site's
 * data, and logs the first of each minute.
 */
export function createUnverifiableReports(
  clock: Clock,
  count: (reason: DataFault) => void,
  log: (fault: UnverifiableFault) => void,
) {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  let denials = 0;
  return (reason: UnverifiableReason, account?: string): void => {
    if (reason === "locked") return;
    count(reason);
    denials += 1;
    if (clock.now() - loggedAtMs < everyMs) return;
    log({ reason, account, denials });
    loggedAtMs = clock.now();
    denials = 0;
  };
}

export const unverifiableText =
  "denied: the account's stored password cannot be verified; store a hash of a known scheme, or lock it with !";
