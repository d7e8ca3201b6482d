import { type AssessedSignIn, safeName } from "@postern/shared/domain/risk";
import type { Attempt } from "../decision/attempt.ts";
import type { Places } from "./places.ts";

const minuteMs = 60_000;

export const minuteOf = (nowMs: number): number => Math.floor(nowMs / minuteMs);

/** `Thunderbird/128.0 (Linux)` is `thunderbird`. */
function familyOf({ userAgent, clientId }: Attempt): string {
  const [name = ""] = (userAgent ?? clientId ?? "").slice(0, 64).split(/[/ (;]/, 1);
  return safeName(name);
}

/** An attempt as it is scored. `network`: keyed digest. */
export function signInOf(
  attempt: Attempt,
  given: Pick<AssessedSignIn, "network" | "credential">,
  { places, nowMs }: { readonly places: Pick<Places, "of">; readonly nowMs: number },
): AssessedSignIn {
  const { clientIp = "", protocol } = attempt;
  return {
    ...given,
    minute: minuteOf(nowMs),
    place: places.of(clientIp),
    protocol,
    client: familyOf(attempt),
    device: "",
  };
}
