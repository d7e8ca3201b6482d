import { type Ok, programOf } from "@postern/shared/contracts";
import {
  type AccountFacts,
  type AssessedSignIn,
  type Assessment,
  type ReviewedSignIn,
  type RiskMode,
  type RiskVerdict,
  safeName,
} from "@postern/shared/domain/risk";
import { remembering } from "@postern/shared/platform/cache";
import type { RiskSubject } from "../brute-force/shared-store.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { CachedFacts } from "../result-cache/result-caches.ts";
import type { Places } from "./places.ts";

/** The score of a sign-in with a correct password, for later steps, policies, scripts and logs. */
export interface RiskFacts extends Assessment {
  readonly mode: RiskMode;
  readonly verdict: RiskVerdict;
  readonly scored: ScoredSignIn;
  /** Whether the verdict has changed the decision. */
  isRefused: boolean;
  /** The score of an equal sign-in in this minute, which has been remembered for the account. */
  readonly isRemembered?: boolean;
}

/** What was scored; remembered once the decision is sent. */
export interface ScoredSignIn {
  /** The account under its own name. */
  readonly subject: RiskSubject;
  /** The value in Redis; empty if there is none. */
  readonly read: string;
  readonly before: AccountFacts | undefined;
  readonly signIn: AssessedSignIn;
  readonly account: string;
  /** The hold of the account does not cover the app password. */
  readonly isExempt?: boolean;
  /** Creation of the app password. */
  readonly credentialSince?: number | undefined;
  /** One of them is the mail address for a notification. */
  readonly attributes: Ok["attributes"];
}

export interface ScoredFacts extends CachedFacts {
  /** The score of a sign-in with a correct password (assess-risk). */
  risk?: RiskFacts;
}

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
