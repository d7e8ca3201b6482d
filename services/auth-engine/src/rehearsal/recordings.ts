import type { AuthDecision } from "@postern/shared/contracts";
import { foldedName } from "@postern/shared/domain/brute-force";
import { Secret } from "@postern/shared/platform/crypto";
import { canonicalName } from "@postern/shared/platform/net";
import { memoryMs } from "../brute-force/shared-store.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import { denial } from "../pipeline/step.ts";
import { NumberTable, numberOf } from "./number-set.ts";
import type { Recorded, ReplayedRules } from "./replayed-rules.ts";
import type { SignIn } from "./sign-in.ts";

const mostSeries = 300_000;
const second = 1000;
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

/** Denials of an engine before it asks a backend. */
const beforeBackends: ReadonlySet<string> = new Set(["empty_password", "rbl", "unknown_relay_domain", "domain"]);

/** Whether a backend knew the account; undefined if none was asked, or if it did not answer. */
function knownIn({ outcome, reason }: SignIn): boolean | undefined {
  if (outcome === "ok") return true;
  return outcome !== "fail" || beforeBackends.has(reason) ? undefined : reason !== "unknown_user";
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
      return reason === "unknown_relay_domain" || reason === "domain" ? undefined : { ...denial("script"), reason };
  }
}

/** Turns lines of the log into what both configurations decide about. */
export class Recordings {
  readonly #rules: ReplayedRules;
  readonly #accountWindowMs: number;
  /** The wrong passwords of an account from one network: how many were seen, the latest one, and when they are forgotten (s, ms). */
  readonly #series: NumberTable;
  #digests = 0;
  /** Guesses of which the log does not say whether they repeat one of before its beginning. They count as new. */
  withoutPast = 0;

  /** @param rules those under which the log was written */
  constructor(rules: ReplayedRules, accountWindowMs: number) {
    this.#series = new NumberTable(4, mostSeries, () => true);
    this.#rules = rules;
    this.#accountWindowMs = accountWindowMs;
  }

  of(signIn: SignIn): Recorded {
    const { outcome, reason, accountPasswords, networkGuesses } = signIn;
    const isFail = outcome === "fail";
    const isCounted = isFail && accountPasswords !== undefined;
    const isKnown = knownIn(signIn);
    const attempt = attemptOf(signIn);
    const guess =
      isCounted && isKnown !== false ? { ...attempt, password: this.#passwordOf(attempt, signIn) } : attempt;
    return {
      attempt: guess,
      answer: this.#isUnserved(attempt) ? undefined : answerOf(signIn),
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
    const endsMs = timeMs + lifeMs;
    this.#series.put(key, [accountPasswords, digest, Math.floor(endsMs / second), endsMs % second]);
    return new Secret(String(digest));
  }

  /** Whether the answer was that of no backend. */
  #isUnserved(attempt: Attempt): boolean {
    return this.#rules.read(attempt).domain?.isKnown === false;
  }

  /** The latest guess of a series, if this one repeats it or another one of the series. */
  #repeated(key: number, timeMs: number, accountPasswords: number): number | undefined {
    const series = this.#series;
    if (series.get(key, 2) * second + series.get(key, 3) <= timeMs) {
      if (accountPasswords > 1) this.withoutPast += 1;
      return undefined;
    }
    return series.get(key, 0) === accountPasswords && accountPasswords < mostRemembered
      ? series.get(key, 1)
      : undefined;
  }

  #fresh(): number {
    this.#digests += 1;
    return this.#digests;
  }
}

function attemptOf(signIn: SignIn): Attempt {
  const { session, dialect, operation, username, protocol, clientIp, tls, outcome, reason } = signIn;
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
