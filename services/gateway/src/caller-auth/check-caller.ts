import type { BasicLookup } from "./basic.ts";
import type { BasicCaller } from "./basic-caller.ts";
import type { BearerCheck, BearerFinding } from "./bearer.ts";
import type { CallerAuthOutcome } from "./outcome.ts";

export interface CallerCheckSettings {
  /** Absent if no caller is configured. */
  readonly basic: BasicLookup<BasicCaller> | undefined;
  /** Absent if `auth.backchannel.oidc_bearer` and `auth.backchannel.jwt` are off. */
  readonly bearer?: BearerCheck | undefined;
  /** Developer mode: if no authentication is configured, every caller is admitted. */
  readonly openWhenUnconfigured: boolean;
}

/** A caller with correct Basic credentials; which operations it may use is decided by the route. */
export interface FoundBasicCaller {
  readonly outcome: "ok_basic";
  readonly caller: BasicCaller;
}

export type CallerFinding = Exclude<CallerAuthOutcome, "ok_basic"> | FoundBasicCaller | BearerFinding;

/**
 * A promise only if the state of a token has to be read. `address` is called for callers with a network restriction.
 */
export type CallerCheck = (
  authorization: string | undefined,
  address: () => string,
) => CallerFinding | Promise<CallerFinding>;

const tokenScheme = /^(?:bearer|dpop)(?: |$)/i;

/** Whether the credentials are a token, whether or not a proof of possession comes with it. */
export function isToken(authorization: string): boolean {
  return tokenScheme.test(authorization);
}

function findBasic(
  find: BasicLookup<BasicCaller> | undefined,
  authorization: string,
  address: () => string,
): CallerFinding {
  const caller = find?.(authorization);
  if (caller === undefined) return "bad_basic";
  if (caller.networks !== undefined && !caller.networks.has(address())) return "foreign_network";
  return { outcome: "ok_basic", caller };
}

/**
 * Authenticates API callers; the scheme selects the method. There is no lockout, and the answer reveals neither which part of the
 * credentials was wrong nor what is wrong with a token.
 */
export function createCallerCheck({ basic, bearer, openWhenUnconfigured }: CallerCheckSettings): CallerCheck {
  if (basic === undefined && bearer === undefined) return () => (openWhenUnconfigured ? "ok_open" : "not_configured");
  return (authorization, address) => {
    if (authorization === undefined || authorization === "") return "missing";
    if (isToken(authorization)) return bearer === undefined ? "bad_token" : bearer(authorization);
    return findBasic(basic, authorization, address);
  };
}
