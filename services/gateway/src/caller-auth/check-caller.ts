import type { BasicCheck } from "./basic.ts";
import type { BearerCheck, BearerFinding } from "./bearer.ts";
import type { CallerAuthOutcome } from "./outcome.ts";

export interface CallerCheckSettings {
  /** Absent if `auth.backchannel.basic_auth` is off. */
  readonly basic: BasicCheck | undefined;
  /** Absent if `auth.backchannel.oidc_bearer` and `auth.backchannel.jwt` are off. */
  readonly bearer?: BearerCheck | undefined;
  /** Developer mode: if no authentication is configured, every caller is admitted. */
  readonly openWhenUnconfigured: boolean;
}

export type CallerFinding = CallerAuthOutcome | BearerFinding;

/** A promise only if the state of a token has to be read. */
export type CallerCheck = (authorization: string | undefined) => CallerFinding | Promise<CallerFinding>;

const bearerScheme = /^bearer(?: |$)/i;

export function isBearer(authorization: string): boolean {
  return bearerScheme.test(authorization);
}

/**
 * Authenticates API callers; the scheme selects the method. There is no lockout, and the answer reveals neither which part of the
 * credentials was wrong nor what is wrong with a token.
 */
export function createCallerCheck({ basic, bearer, openWhenUnconfigured }: CallerCheckSettings): CallerCheck {
  if (basic === undefined && bearer === undefined) return () => (openWhenUnconfigured ? "ok_open" : "not_configured");
  return (authorization) => {
    if (authorization === undefined || authorization === "") return "missing";
    if (isBearer(authorization)) return bearer === undefined ? "bad_token" : bearer(authorization);
    return basic?.(authorization) === true ? "ok_basic" : "bad_basic";
  };
}
