import type { BasicCheck } from "./basic.ts";
import type { CallerAuthOutcome } from "./outcome.ts";

export interface CallerCheckSettings {
  /** Absent when `auth.backchannel.basic_auth` is off. */
  readonly basic: BasicCheck | undefined;
  /** Developer mode: with no way to authenticate configured, everybody may. */
  readonly openWhenUnconfigured: boolean;
}

export type CallerCheck = (authorization: string | undefined) => CallerAuthOutcome;

/** Contract, "Backchannel callers": never locked out, never told which half of the credentials was wrong. */
export function createCallerCheck({ basic, openWhenUnconfigured }: CallerCheckSettings): CallerCheck {
  if (basic === undefined) return () => (openWhenUnconfigured ? "ok_open" : "not_configured");
  return (authorization) => {
    if (authorization === undefined || authorization === "") return "missing";
    return basic(authorization) ? "ok_basic" : "bad_basic";
  };
}
