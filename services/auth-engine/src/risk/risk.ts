import type { AuthDecision, Fail, Ok } from "@postern/shared/contracts";
import {
  type AccountFacts,
  type AssessedSignIn,
  addReview,
  assess,
  decodeSourceFacts,
  holdOf,
  isDoubted,
  noteSignIn,
  noteWrongPassword,
  type ReviewedSignIn,
  type RiskSettings,
  type RiskStore,
  type SourceFacts,
  verdictOf,
} from "@postern/shared/domain/risk";
import { createHotCache } from "@postern/shared/platform/cache";
import { within } from "@postern/shared/platform/concurrency";
import type { Clock } from "@postern/shared/platform/time";
import type { RiskKeys, RiskRead } from "../brute-force/shared-store.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { FactWriter } from "./fact-writer.ts";
import { createHoldScope } from "./hold-scope.ts";
import type { LeakedPasswords } from "./leaked-passwords.ts";
import { createOwnFactsReader, type OwnFacts, type OwnFactsReader } from "./own-facts.ts";
import type { Places } from "./places.ts";
import { createRememberedScores } from "./remembered-scores.ts";
import type { Reputation } from "./reputation.ts";
import type { RiskSubjects } from "./risk-subjects.ts";
import {
  createFamilies,
  isScored,
  minuteOf,
  type RiskFacts,
  reviewOf,
  type ScoredFacts,
  type ScoredSignIn,
} from "./sign-in.ts";
import { createSprayWatch } from "./spray-watch.ts";

/** Scores sign-ins, and states the message of a refusal. */
export interface RiskProtection {
  readonly assess: ReturnType<typeof createAssess>;
  readonly delayMs: () => number;
  /** In the client's language. */
  readonly denialMessage: (attempt: Pick<Attempt, "dialect" | "acceptLanguage">) => Pick<Fail, "message" | "language">;
}

export interface RiskDeps {
  readonly settings: () => RiskSettings;
  readonly subjects: RiskSubjects;
  readonly store: Pick<RiskStore, "read">;
  readonly accounts: FactWriter<AccountFacts>;
  readonly sources: FactWriter<SourceFacts>;
  readonly reviews: FactWriter<readonly ReviewedSignIn[]>;
  readonly places: Pick<Places, "of">;
  readonly reputation: Pick<Reputation, "weightOf">;
  /** Absent if no list is configured. */
  readonly leaked: LeakedPasswords | undefined;
  readonly clock: Clock;
  /** Called after each scored sign-in; `isNewDoubt` unless the same network was doubted before. */
  readonly onScored: (attempt: Attempt, risk: RiskFacts, isNewDoubt: boolean) => void;
  /** Called for each account that is forgotten, with its digest. */
  readonly onForgotten: (account: string) => void;
}

/** What cached sign-ins do not find out again. */
interface Remembered {
  readonly wasCompared?: boolean;
  readonly wasSecondFactorRead?: boolean;
  readonly isLeaked?: boolean | undefined;
  readonly hasSecondFactor?: boolean | undefined;
}

const maxRemembered = 16_384;
const askMs = 1000;
const reportMinutes = 30;

/** What costs a query or a search in a file, and is remembered for cached sign-ins. */
function createFindings(leaked: LeakedPasswords | undefined) {
  const remembered = createHotCache<Remembered>(maxRemembered);
  return {
    forget: (id: string): void => remembered.delete(id),
    known: (id: string): Remembered | undefined => remembered.get(id),
    /** A success that another engine cached is compared once here too. */
    mustCompare: (id: string, { credential, cache }: ScoredFacts): boolean =>
      leaked !== undefined &&
      credential === "password" &&
      (cache?.servedFrom === undefined || remembered.get(id)?.wasCompared !== true),
    compare: async (id: string, { password }: Attempt): Promise<void> => {
      const isLeaked = await leaked?.contains(password?.reveal() ?? "");
      remembered.set(id, { ...remembered.get(id), isLeaked, wasCompared: true });
    },
    ask: async (id: string, facts: ScoredFacts): Promise<void> => {
      const hasSecondFactor = facts.hasSecondFactor ?? facts.accountHasSecondFactor?.();
      // A backend that hangs must not use up the decision's time.
      const answer = await within(Promise.resolve(hasSecondFactor), askMs).catch(() => undefined);
      const earlier = remembered.get(id);
      // No answer is never "no second factor".
      const known = answer ?? earlier?.hasSecondFactor;
      remembered.set(id, { ...earlier, hasSecondFactor: known, wasSecondFactorRead: true });
    },
  };
}

function createScore({ settings, reputation, leaked }: RiskDeps) {
  const findings = createFindings(leaked);

  const scoreOf = (attempt: Attempt, facts: ScoredFacts, own: ScoredSignIn): RiskFacts => {
    const now = settings();
    const source = facts.bruteForce?.riskRead?.source ?? "";
    const { isLeaked, hasSecondFactor } = findings.known(own.subject.id) ?? {};
    const signIn: AssessedSignIn = {
      ...own.signIn,
      isLeaked: own.signIn.credential === "password" && isLeaked === true,
      hasSecondFactor,
      listedWeight: reputation.weightOf(attempt.clientIp ?? "", now.weights.listed_network),
      isOnPages: attempt.dialect === "idp",
      isFactorNext: attempt.dialect === "idp" && hasSecondFactor !== false,
    };
    const found = assess(own.before, source === "" ? undefined : decodeSourceFacts(source), signIn, now);
    const { before, isExempt } = own;
    const verdict = verdictOf(
      isExempt === true ? before && { ...before, hold: undefined } : before,
      signIn,
      found,
      now,
    );
    return { ...found, mode: now.mode, verdict, scored: { ...own, signIn }, isRefused: false };
  };
  /** The backend is queried only where the answer matters. Observing must neither delay a decision nor load a backend. */
  const mustAsk = ({ dialect }: Attempt, { scored, isKnown, mode, level }: RiskFacts, facts: ScoredFacts): boolean => {
    const { before, signIn, subject } = scored;
    if (mode !== "enforce") return false;
    if (isKnown || signIn.credential !== "password") return false;
    // Without facts, only the pages need the answer, and only if they would refuse the sign-in.
    if (before === undefined && (dialect !== "idp" || level === "ordinary")) return false;
    if (dialect !== "idp" && !settings().legacyProtocols.has(signIn.protocol)) return false;
    return facts.cache?.servedFrom === undefined || findings.known(subject.id)?.wasSecondFactorRead !== true;
  };
  const look = async (attempt: Attempt, facts: ScoredFacts, own: ScoredSignIn): Promise<RiskFacts> => {
    if (findings.mustCompare(own.subject.id, facts)) await findings.compare(own.subject.id, attempt);
    const found = scoreOf(attempt, facts, own);
    if (!mustAsk(attempt, found, facts)) return found;
    await findings.ask(own.subject.id, facts);
    return scoreOf(attempt, facts, own);
  };
  const score = (attempt: Attempt, facts: ScoredFacts, own: ScoredSignIn): RiskFacts | Promise<RiskFacts> => {
    if (findings.mustCompare(own.subject.id, facts)) return look(attempt, facts, own);
    const found = scoreOf(attempt, facts, own);
    return mustAsk(attempt, found, facts) ? look(attempt, facts, own) : found;
  };
  return { score, known: findings.known, forget: findings.forget };
}

type Scoring = Pick<ReturnType<typeof createScore>, "score" | "known">;

function createAssess(deps: RiskDeps, { decode, ofAccount }: OwnFactsReader, { score, known }: Scoring) {
  const { settings, subjects, places, clock } = deps;
  const scores = createRememberedScores();
  const familyOf = createFamilies();
  const holds = createHoldScope(deps);
  const assessOne = (attempt: Attempt, facts: ScoredFacts, own: ScoredSignIn) => {
    const { credential } = own.signIn;
    if (credential === "token") return holds.ofToken(own);
    const scoped = credential === "password" ? own : holds.ofAppPassword(own);
    return scoped instanceof Promise ? scoped.then((one) => score(attempt, facts, one)) : score(attempt, facts, scoped);
  };
  const assessAnew = (attempt: Attempt, decision: Ok, facts: ScoredFacts, read: RiskRead) => {
    const { credential = "password", credentialSince } = facts;
    const { id: network } = read.keys.source;
    const { account, attributes } = decision;
    const device = attempt.dialect === "idp" ? subjects.device(account, attempt.device) : "";
    const { protocol, clientIp = "" } = attempt;
    const [minute, place, client] = [minuteOf(clock.now()), places.of(clientIp), familyOf(attempt)];
    const signIn: AssessedSignIn = { network, credential, device, minute, place, protocol, client };
    const scored = ({ subject, read: value }: OwnFacts) => {
      const before = decode(subject, value);
      return assessOne(attempt, facts, { subject, read: value, before, signIn, account, attributes, credentialSince });
    };
    const own = ofAccount(account, attempt.username, read);
    return own instanceof Promise ? own.then((later) => later && scored(later)) : scored(own);
  };
  /**
   * Scores a sign-in with a correct password or app password; undefined without facts, such as while Redis is unavailable, and for a token,
   * unless a hold refuses it. A promise only if the password or the second factor must be looked up, the facts of another name, or what a
   * hold covers.
   */
  return (
    attempt: Attempt,
    decision: Ok,
    facts: ScoredFacts,
  ): RiskFacts | undefined | Promise<RiskFacts | undefined> => {
    const read = facts.bruteForce?.riskRead;
    if (read === undefined || facts.credential === undefined) return undefined;
    const { id } = read.keys.account;
    const minute = minuteOf(clock.now());
    const inputs = { attempt, decision, read, minute, settings: settings(), findings: known(id) };
    if (!scores.isEligible(inputs, facts)) return assessAnew(attempt, decision, facts, read);
    const remembered = scores.find(inputs);
    if (remembered !== undefined) return remembered;
    const found = assessAnew(attempt, decision, facts, read);
    // Facts of another name are not those that were read.
    if (found !== undefined && !(found instanceof Promise) && found.scored.subject.id === id)
      scores.keep(inputs, found);
    return found;
  };
}

function createRememberDecision(deps: RiskDeps, { decode }: OwnFactsReader) {
  const { settings, subjects, accounts, reviews, clock, onScored } = deps;
  const spray = createSprayWatch(deps.sources);
  const reported = createHotCache<number>(maxRemembered);
  /** Mail clients open many connections before the first of them is remembered. */
  const isReportDue = ({ level, scored: { subject, signIn, credentialSince } }: RiskFacts): boolean => {
    if (level === "ordinary") return false;
    const { network, minute } = signIn;
    const key = `${subject.id} ${network} ${credentialSince ?? ""}`;
    const isDue = minute - (reported.get(key) ?? 0) >= reportMinutes;
    if (isDue) reported.set(key, minute);
    return isDue;
  };
  const noteSuccess = (attempt: Attempt, risk: RiskFacts, from: RiskRead): void => {
    const ages = settings();
    const { verdict, isStrange, mode, isRefused, scored } = risk;
    const { subject, read, before, signIn } = scored;
    // Tokens leave nothing: they were obtained by a sign-in that was scored.
    if (signIn.credential === "token") return onScored(attempt, risk, false);
    const doubts = isDoubted(risk);
    const hold = mode === "enforce" ? holdOf(verdict, risk, { minute: signIn.minute, settings: ages }) : undefined;
    const change = (found: AccountFacts | undefined): AccountFacts =>
      noteSignIn(found, signIn, { isDoubted: doubts, hold, ages });
    // What only a hold refused says nothing about the account.
    const isNewDoubt = (!isRefused || doubts) && change(before) !== before;
    if (isNewDoubt) accounts.add(subject.key, read, change);
    if (!isRefused || isStrange) spray.right(from, subject.id, { minute: signIn.minute, isStrange });
    // An app password that is used suspiciously is news even in a network where the password was used so before.
    const isOfAppPassword = doubts && scored.credentialSince !== undefined;
    const isReported = (isNewDoubt || isOfAppPassword) && isReportDue(risk);
    if (isReported) {
      const review = reviewOf(attempt, risk);
      reviews.add(subjects.reviewKey(subject.id), "", (found) => addReview(found, review));
    }
    onScored(attempt, risk, isReported);
  };
  const noteGuess = (facts: ScoredFacts, read: RiskRead): void => {
    const { keys, account: value } = read;
    const minute = minuteOf(clock.now());
    spray.wrong(read, keys.account.id, minute);
    // Made-up names take no memory: only accounts that signed in have facts.
    const before = facts.accountKnown === true ? decode(keys.account, value) : undefined;
    if (before === undefined) return;
    const guess = { network: keys.source.id, minute };
    const change = (found: AccountFacts | undefined) => found && noteWrongPassword(found, guess);
    if (change(before) !== before) accounts.add(keys.account.key, value, change);
  };
  return (attempt: Attempt, decision: AuthDecision, facts: ScoredFacts): void => {
    const read = facts.bruteForce?.riskRead;
    const { risk } = facts;
    if (read === undefined) return;
    if (decision.outcome === "fail" && (decision.reason === "wrong_password" || decision.reason === "unknown_user")) {
      noteGuess(facts, read);
      // The first such sign-in of the minute was noted.
    } else if (risk?.isRemembered === true) onScored(attempt, risk, false);
    else if (risk !== undefined && (decision.outcome === "ok" || risk.isRefused)) noteSuccess(attempt, risk, read);
  };
}

/** Detection of stolen passwords. */
export function createRisk(deps: RiskDeps) {
  const { settings, subjects, accounts, reviews, onForgotten } = deps;
  const reader = createOwnFactsReader(subjects, deps.store);
  const { score, known, forget } = createScore(deps);
  return {
    /** What the check for bans reads too. Undefined if the attempt is not scored. */
    keysOf: (attempt: Attempt): RiskKeys | undefined => {
      if (settings().mode === "off" || !isScored(attempt)) return undefined;
      const source = subjects.source(attempt.clientIp ?? "");
      return source === undefined ? undefined : { account: reader.subjectOf(attempt.username), source };
    },
    assess: createAssess(deps, reader, { score, known }),
    /** Called after the decision was sent. */
    rememberDecision: createRememberDecision(deps, reader),
    /** Forgets what waits to be written about an account. */
    forget: (flushed: readonly string[]): void => {
      for (const name of flushed) {
        const subject = subjects.account(name);
        forget(subject.id);
        accounts.drop(subject.key);
        reviews.drop(subjects.reviewKey(subject.id));
        onForgotten(subject.id);
      }
    },
  };
}

export type Risk = ReturnType<typeof createRisk>;
