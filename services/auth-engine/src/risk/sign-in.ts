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

/** The family of an attempt's mail program: `Thunderbird/128.0 (Linux)` is `thunderbird`. Programs recur, so their families are cached. */
export function createFamilies() {
  const familyOf = remembering(maxPrograms, (program) => safeName(program.split(/[/ (;]/, 1)[0] ?? ""));
  return (attempt: Parameters<typeof programOf>[0]): string => familyOf(programOf(attempt));
}

/** The API caller's own address says nothing about the user, and a second factor may have yet to show whether the password was correct. */
export function isScored({ operation, clientIp, clientIpIsPeer, masterLogin, hidesOutcome }: Attempt): boolean {
  if (operation !== "authenticate" || clientIp === undefined) return false;
  return clientIpIsPeer !== true && masterLogin === undefined && hidesOutcome !== true;
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
