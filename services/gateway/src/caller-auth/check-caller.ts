import type { BasicCheck } from "./basic.ts";
import type { BearerCheck, BearerFinding } from "./bearer.ts";
import type { CallerAuthOutcome } from "./outcome.ts";

export interface CallerCheckSettings {
  /** Absent when `auth.backchannel.basic_auth` is off. */
  readonly basic: BasicCheck | undefined;
  /** Absent when both `auth.backchannel.oidc_bearer` and `auth.backchannel.jwt` are off. */
  readonly bearer?: BearerCheck | undefined;
  /** Developer mode: with no way to authenticate configured, everybody may. */
  readonly openWhenUnconfigured: boolean;
}

export type CallerFinding = CallerAuthOutcome | BearerFinding;

/** A promise only where a token's state has to be read. */
export type CallerCheck = (authorization: string | undefined) => CallerFinding | Promise<CallerFinding>;

const bearerScheme = /^bearer(?: |$)/i;

export function isBearer(authorization: string): boolean {
  return bearerScheme.test(authorization);
}

/**
 * Contract, "Backchannel callers": the scheme picks the way. Never locked out, never told which half of the credentials
 * was wrong, or what about a token.
 */
export function createCallerCheck({ basic, bearer, openWhenUnconfigured }: CallerCheckSettings): CallerCheck {
  if (basic === undefined && bearer === undefined) return () => (openWhenUnconfigured ? "ok_open" : "not_configured");
  return (authorization) => {
    if (authorization === undefined || authorization === "") return "missing";
    if (isBearer(authorization)) return bearer === undefined ? "bad_token" : bearer(authorization);
    return basic?.(authorization) === true ? "ok_basic" : "bad_basic";
  };
}
