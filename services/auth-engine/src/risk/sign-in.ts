import { programOf } from "@postern/shared/contracts";
import { type AssessedSignIn, type ReviewedSignIn, safeName } from "@postern/shared/domain/risk";
import { remembering } from "@postern/shared/platform/cache";
import type { Attempt } from "../pipeline/attempt.ts";
import type { Places } from "./places.ts";
import type { RiskFacts } from "./scored-sign-in.ts";

const minuteMs = 60_000;

export const minuteOf = (nowMs: number): number => Math.floor(nowMs / minuteMs);

const maxPrograms = 1024;

/** The family of an attempt's mail program. */
export type FamilyOf = (attempt: Pick<Attempt, "userAgent" | "userAgentIsCaller" | "clientId">) => string;

/** `Thunderbird/128.0 (Linux)` is `thunderbird`. Programs recur, so their families are cached. */
export function createFamilies(): FamilyOf {
  const familyOf = remembering(maxPrograms, (program) => safeName(program.split(/[/ (;]/, 1)[0] ?? ""));
  return (attempt) => familyOf(programOf(attempt));
}

/** An attempt as it is scored. `network` and `device`: keyed digests. */
export function signInOf(
  attempt: Attempt,
  traits: Pick<AssessedSignIn, "network" | "credential" | "device">,
  {
    places,
    familyOf,
    nowMs,
  }: { readonly places: Pick<Places, "of">; readonly familyOf: FamilyOf; readonly nowMs: number },
): AssessedSignIn {
  const { clientIp = "", protocol } = attempt;
  return {
    ...traits,
    minute: minuteOf(nowMs),
    place: places.of(clientIp),
    protocol,
    client: familyOf(attempt),
  };
}

/** What is kept of a suspicious sign-in. */
export function reviewOf(
  { session }: Attempt,
  { scored, score, level, signals, verdict, isRefused, mode }: RiskFacts,
): ReviewedSignIn {
  const { network, minute, place, protocol, client } = scored.signIn;
  const { country, system } = place;
  return {
    session,
    minute,
    network,
    country,
    system,
    protocol: safeName(protocol),
    client,
    score,
    level,
    signals: signals.map(({ signal, reason }) => `${signal}: ${reason}`),
    refusal: verdict.refusal ?? "",
    isRefused,
    mode,
    responses: [...verdict.responses],
    ...(scored.credentialSince !== undefined && { credentialSince: scored.credentialSince }),
  };
}
