import type { AuthDecision } from "@postern/shared/contracts";
import { foldedName } from "@postern/shared/domain/brute-force";
import { Secret } from "@postern/shared/platform/crypto";
import { canonicalName } from "@postern/shared/platform/net";
import { memoryMs } from "../../../services/auth-engine/src/brute-force/shared-store.ts";
import type { Attempt } from "../../../services/auth-engine/src/pipeline/attempt.ts";
import { denial } from "../../../services/auth-engine/src/pipeline/step.ts";
import { numberOf } from "./number-set.ts";
import type { Recorded, ReplayedRules } from "./replayed-rules.ts";
import type { SignIn } from "./sign-in.ts";

/** The wrong passwords of an account from one network, as far as the log tells. */
interface Series {
  readonly seen: number;
  readonly digest: string;
  readonly endsMs: number;
}

const mostSeries = 300_000;
/** An engine remembers no more of an account's wrong passwords. */
const mostRemembered = 64;

/** Temporary failures before any backend is asked, or of which the log does not say what the backend answered. */
const withoutAnswer: ReadonlySet<string> = new Set(["TLS_REQUIRED", "REDIS_UNAVAILABLE", "POLICY_TEMPFAIL"]);
/** Denials that count for the network if the guess is no repetition. */
const mayRepeat: ReadonlySet<string> = new Set(["wrong_password", "account_disabled", "bad_token"]);
const anyPassword = new Secret("any");

function admittedAs(username: string): AuthDecision {
  const outcome = { outcome: "ok", account: username, accountField: "", totpSecretField: "" } as const;
  return { ...outcome, backend: 0, attributes: {}, memoryCache: "miss" };
}

/** What the backend answered, as far as the log says. */
function answerOf({ outcome, reason, username }: SignIn): AuthDecision | undefined {
  switch (outcome) {
    case "ok":
      return admittedAs(username);
    case "blocked":
      return undefined;
    case "tempfail":
      return withoutAnswer.has(reason) ? undefined : { outcome, code: reason, message: "" };
    case "fail":
      // Policies refuse only sign-ins that were admitted until then.
      if (reason === "policy") return admittedAs(username);
      return reason === "unknown_relay_domain" ? undefined : { ...denial("script"), reason };
  }
}

/** Turns lines of the log into what both configurations decide about. */
export class Recordings {
  readonly #rules: ReplayedRules;
  readonly #accountWindowMs: number;
  readonly #series = new Map<number, Series>();
  #digests = 0;
  /** Guesses of which the log does not say whether they repeat one of before its beginning. They count as new. */
  withoutPast = 0;

  /** @param rules those under which the log was written */
  constructor(rules: ReplayedRules, accountWindowMs: number) {
    this.#rules = rules;
    this.#accountWindowMs = accountWindowMs;
  }

  of(signIn: SignIn): Recorded {
    const { outcome, reason, accountPasswords, networkGuesses } = signIn;
    const isFail = outcome === "fail";
    const isCounted = isFail && accountPasswords !== undefined;
    const isKnown = isFail && reason !== "unknown_user";
    const attempt = attemptOf(signIn);
    const guess = isCounted && isKnown ? { ...attempt, password: this.#passwordOf(attempt, signIn) } : attempt;
    return {
      attempt: guess,
      answer: answerOf(signIn),
      isFirst: isFail && reason === "empty_password",
      isListed: isFail && reason === "rbl",
      isKnown,
      isUncertainGuess: isFail && !isCounted && mayRepeat.has(reason),
      networkGuesses,
    };
  }

  /**
   * A text in place of the wrong password, equal to that of an earlier guess if this one repeats it: the log has the number of distinct wrong
   * passwords, which a repetition does not raise. Which of several is repeated makes no difference to the counters.
   */
  #passwordOf(attempt: Attempt, { timeMs, accountPasswords = 0 }: SignIn): Secret {
    const target = this.#rules.targetOf(attempt);
    const key = numberOf(target?.keys.wrongPasswords ?? `account ${foldedName(attempt.username)}`);
    const lifeMs =
      target === undefined ? this.#accountWindowMs : 2 * memoryMs(this.#rules.repeatWindowMs, target.scopes);
    const digest = this.#repeated(key, timeMs, accountPasswords) ?? this.#fresh();
    this.#keep(key, { seen: accountPasswords, digest, endsMs: timeMs + lifeMs });
    return new Secret(digest);
  }

  /** The latest guess of a series, if this one repeats it or another one of the series. */
  #repeated(key: number, timeMs: number, accountPasswords: number): string | undefined {
    const kept = this.#series.get(key);
    if (kept === undefined || kept.endsMs <= timeMs) {
      if (accountPasswords > 1) this.withoutPast += 1;
      return undefined;
    }
    return kept.seen === accountPasswords && accountPasswords < mostRemembered ? kept.digest : undefined;
  }

  #fresh(): string {
    this.#digests += 1;
    return String(this.#digests);
  }

  #keep(key: number, series: Series): void {
    this.#series.delete(key);
    this.#series.set(key, series);
    if (this.#series.size <= mostSeries) return;
    for (const oldest of this.#series.keys()) {
      this.#series.delete(oldest);
      return;
    }
  }
}

function attemptOf({
  session,
  dialect,
  operation,
  username,
  protocol,
  clientIp,
  tls,
  outcome,
  reason,
}: SignIn): Attempt {
  const attempt: Attempt = {
    session,
    dialect,
    operation,
    username: canonicalName(username),
    protocol,
    tls,
    memoryCache: true,
    sharedCache: true,
    password: operation === "authenticate" ? anyPassword : undefined,
  };
  if (clientIp !== undefined) attempt.clientIp = clientIp;
  // Only access tokens have this reason, and a ban does not refuse them.
  if (outcome === "fail" && reason === "bad_token") attempt.method = "oauthbearer";
  return attempt;
}
