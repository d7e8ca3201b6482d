import type { AuthPolicyEffect, AuthPolicyResult } from "@postern/shared/contracts";
import { foldedName } from "@postern/shared/domain/brute-force";
import type { BruteForce, BruteForceFacts } from "../brute-force/brute-force.ts";
import type { LoginHistory } from "../brute-force/login-history-redis.ts";
import type { RequestOnBus } from "../pipeline/attempt.ts";
import { reportedAttempt } from "./note-of-report.ts";

/**
 * Repeated failures of an account from one network, within the repeat window, that are not counted. A mail client with an
 * outdated password stays below. More are counted: the hash may be the same for different passwords, because the mail
 * server uses no nonce or the mechanism sends no password.
 */
const maxRepetitions = 60;

/** Mechanisms that send the password, or a token in its place. With any other, the hash contains the name only. */
const passwordMechanisms: ReadonlySet<string> = new Set(["plain", "login", "xoauth2", "oauthbearer"]);

interface Guess {
  /** Identifies the password; never the hash itself, which could equal a password of another dialect. */
  readonly text: string;
  /** Equal passwords have equal texts. */
  readonly isStable: boolean;
  /** Different passwords certainly have different texts, except by coincidence. */
  readonly isOfPassword: boolean;
}

function guessOf({ passwordHash, mechanism, session }: AuthPolicyResult): Guess {
  const isOfPassword = mechanism !== undefined && passwordMechanisms.has(mechanism);
  const isStable = passwordHash !== undefined && (mechanism === undefined || isOfPassword);
  // Without a usable hash, every request is another password, even if two engines receive it.
  return { text: isStable ? `pwhash\0${passwordHash}` : `session\0${session}`, isStable, isOfPassword };
}

function effectOf(effect: string, { rule }: Pick<BruteForceFacts, "rule">): AuthPolicyEffect {
  return rule === undefined ? { effect } : { effect, rule };
}

interface Reported {
  readonly login: AuthPolicyResult;
  readonly guess: Guess;
  readonly facts: BruteForceFacts;
  readonly protection: BruteForce;
  readonly call: RequestOnBus;
}

/** Whether a repetition exceeds the limit, so that it counts like another password. */
async function isExcess({ login, facts }: Reported, history: LoginHistory | undefined): Promise<boolean> {
  const network = facts.target?.source.clientNetwork ?? "none";
  const repetitions = await history?.countRepetition(network, login.username);
  return repetitions !== undefined && repetitions > maxRepetitions;
}

/**
 * Records the result of a sign-in that a mail server verified: a success counts in favour of its network and makes it
 * known to the account, a wrong password is counted. Reporting a result twice, or later than others, does no harm.
 *
 * @throws AppError REDIS_UNAVAILABLE if Redis is unavailable and the site configured temporary failures for that.
 * @param bruteForce absent if `auth.controls.enabled` does not list brute-force protection.
 * @param digest keyed digest of a user name and what identifies its password.
 * @param mayStoreName whether one more failure may be stored under a name that may not exist.
 */
export function createReportLogin(
  bruteForce: () => BruteForce | undefined,
  history: () => LoginHistory | undefined,
  digest: (username: string, guess: string) => string,
  mayStoreName: () => boolean,
) {
  const recordSuccess = async ({ login, guess, facts, protection }: Reported): Promise<AuthPolicyEffect> => {
    const { username } = login;
    if (username === "") return { effect: "exempt" };
    await protection.recordSuccess(foldedName(username), facts);
    if (facts.rule !== undefined) return effectOf("banned", facts);
    if (guess.isStable) history()?.noteSignIn(username, digest(username, guess.text));
    return { effect: "recorded" };
  };

  const count = async (reported: Reported, guess: string, hasSignedIn: boolean): Promise<void> => {
    const { login, facts, protection, call } = reported;
    const { username, result } = login;
    const mayExist = username !== "" && result === "wrong_password";
    // Failures of unknown names are counted without storing the names.
    const isKnown = mayExist && (hasSignedIn || mayStoreName());
    const account = hasSignedIn ? username : undefined;
    await protection.countFailure(
      reportedAttempt(login, guess, call),
      { isKnown, isPassword: username !== "", account },
      facts,
    );
  };

  const countFailure = async (reported: Reported): Promise<AuthPolicyEffect> => {
    const { login, guess, facts } = reported;
    const { username } = login;
    const known = await history()?.readAccount(username, digest(username, guess.text));
    const hasSignedIn = known?.hasSignedIn === true;
    const isOwnPassword = guess.isStable && known?.hasSignedInWith === true;
    if (isOwnPassword && guess.isOfPassword) return { effect: "repeated" };
    if (!isOwnPassword) {
      await count(reported, guess.text, hasSignedIn);
      if (!facts.repeatedWrongPassword) return effectOf("counted", facts);
    }
    if (!(await isExcess(reported, history()))) return effectOf("repeated", facts);
    await count(reported, `session\0${login.session}`, hasSignedIn);
    return effectOf("counted", facts);
  };

  return async (login: AuthPolicyResult, call: RequestOnBus): Promise<AuthPolicyEffect> => {
    const protection = bruteForce();
    const facts = await protection?.check(reportedAttempt(login));
    if (protection === undefined || facts === undefined) return { effect: "exempt" };
    // The mail server had to reject this login. Counting it would only prolong the records about the network.
    if (facts.rule !== undefined) return effectOf("banned", facts);
    const reported: Reported = { login, guess: guessOf(login), facts, protection, call };
    return login.result === "success" ? recordSuccess(reported) : countFailure(reported);
  };
}
