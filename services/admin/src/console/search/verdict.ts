import type { BanRecord, DecisionRecord, Explanation, ExplanationCause, Sentence } from "@postern/shared/contracts";
import { type CidrSet, createCidrSet, parseCidr } from "@postern/shared/platform/net";
import { englishOf, sentence } from "../../texts/messages.ts";
import type { Standing } from "./causes.ts";
import { banFacts, momentText, ownFacts, placeFacts, remedyOf, runFacts, wayFacts } from "./phrases.ts";

/** The facts from which the sentence is composed. */
export interface VerdictFacts extends Pick<Explanation, "query" | "kind" | "bans" | "delay" | "guessing_addresses"> {
  readonly account: string | undefined;
  /** The bans that keep the subject itself out; for an account, those of the addresses from which it signed in correctly. */
  readonly ownBans: readonly BanRecord[];
  /** Bans of the address of the last failure, which may be an attacker's or a new one of the customer. */
  readonly lastBans: readonly BanRecord[];
  /** Everything in force. */
  readonly causes: readonly ExplanationCause[];
  /** Absent unless the subject is an account. */
  readonly standing: Standing | undefined;
  readonly lastSuccess: DecisionRecord | undefined;
  readonly lastFailure: DecisionRecord | undefined;
  /** Accounts that were tried from a place from which no sign-in succeeded; absent if it does not look like guessing. */
  readonly triedAccounts?: number | undefined;
  /** Why someone else may know the password of the account; absent if nothing says so. */
  readonly doubts?: readonly Sentence[] | undefined;
  /** The program that sends most wrong passwords, and whether it repeats one; absent if there is none. */
  readonly senders?: readonly Sentence[] | undefined;
  readonly nowMs: number;
}

export type Verdict = Pick<Explanation, "state" | "verdict" | "sentences" | "remedy" | "remedy_sentence">;

/** What is said, before it is written. */
interface Said {
  readonly state: string;
  readonly sentences: readonly Sentence[];
  readonly remedy?: Sentence | undefined;
}

const ofStanding: ReadonlySet<string> = new Set(["account_disabled", "unknown_user"]);
const ofFactors: ReadonlySet<string> = new Set(["factor_locked", "too_many_attempts", "account_throttled"]);

/** A failure this long before the last success is not mentioned. */
const recentMs = 86_400_000;

const lastOf = (bans: readonly BanRecord[]): BanRecord | undefined =>
  bans.toSorted((a, b) => (a.end < b.end ? 1 : -1))[0];

/** If two sign-ins have the same second, the failure counts as the later one, because the question is about failures. */
const isLast = (failure: DecisionRecord | undefined, success: DecisionRecord | undefined): failure is DecisionRecord =>
  failure !== undefined && (success === undefined || failure.time >= success.time);

const networksOf = (bans: readonly BanRecord[]): CidrSet =>
  createCidrSet(bans.map(({ network }) => network).filter((network) => parseCidr(network) !== undefined));

const unban = ({ network }: BanRecord): Sentence => sentence("remedy.unban", { network });

const list = (...sentences: readonly (Sentence | undefined)[]): readonly Sentence[] =>
  sentences.filter((one) => one !== undefined);

/** With where and when the customer last signed in with the correct password, and whether that address is banned now. */
function blocked({ kind, bans, nowMs, lastSuccess: success }: VerdictFacts, latest: BanRecord): Said {
  const facts = { until: momentText(latest.end, nowMs), ...banFacts(latest) };
  const remedy = unban(latest);
  const said = (one: Sentence): Said => ({ state: "blocked", sentences: [one], remedy });
  if (success === undefined) return said(sentence("verdict.blocked", facts));
  if (kind !== "account")
    return said(sentence("verdict.blocked_place", { ...facts, own_at: momentText(success.time, nowMs) }));
  const isBanned = networksOf(bans).has(success.client_ip);
  const code = isBanned || success.client_ip === "" ? "verdict.blocked_right" : "verdict.blocked_elsewhere";
  return said(sentence(code, { ...facts, ...ownFacts(success, nowMs) }));
}

/** The last failure came from a banned network in which no sign-in of the account succeeded. */
function blockedThere({ lastSuccess: success, nowMs }: VerdictFacts, last: DecisionRecord, ban: BanRecord): Said {
  const facts = { until: momentText(ban.end, nowMs), ...banFacts(ban), ...wayFacts(last, nowMs) };
  if (success === undefined)
    return { state: "blocked", sentences: [sentence("verdict.blocked_never", facts)], remedy: unban(ban) };
  return {
    state: "denied",
    sentences: [sentence("verdict.blocked_there", { ...facts, ...ownFacts(success, nowMs) })],
    remedy: sentence("remedy.unban_if", { network: ban.network }),
  };
}

/** Whether what refused the last sign-in is known to be over. */
function isOver({ causes, standing }: VerdictFacts, { outcome, reason = "" }: DecisionRecord): boolean {
  const isInForce = (kind: string): boolean => causes.some((cause) => cause.kind === kind);
  // The bans of the failure's address were looked up.
  if (outcome === "blocked") return !isInForce("ban");
  if (reason === "account_suspended") return !isInForce("suspension");
  if (ofStanding.has(reason)) return standing?.kind === "found";
  return ofFactors.has(reason) && !isInForce("factor");
}

function failed(facts: VerdictFacts, last: DecisionRecord): Said {
  const { lastSuccess: success, nowMs, account } = facts;
  const over = isOver(facts, last);
  const sentences = list(
    sentence("verdict.not_blocked_now"),
    sentence("verdict.failed", runFacts(last, nowMs)),
    over ? sentence("verdict.ended") : undefined,
    success && sentence("verdict.last_right", placeFacts(success, nowMs)),
  );
  if (over) return { state: "lifted", sentences };
  const state = last.outcome === "undecided" ? "undecided" : "denied";
  return { state, sentences, remedy: remedyOf({ ...last, account: account ?? last.account }) };
}

function guessed({ kind, bans, guessing_addresses: addresses, lastFailure }: VerdictFacts): Sentence | undefined {
  const [address = ""] = addresses;
  const isNew = addresses.length > 1 || address !== lastFailure?.client_ip;
  if (kind !== "account" || addresses.length === 0 || !isNew) return undefined;
  const networks = networksOf(bans);
  const banned = addresses.filter((one) => networks.has(one)).length;
  if (addresses.length === 1)
    return sentence(banned === 0 ? "verdict.guessed_free" : "verdict.guessed_banned", { address });
  const { length } = addresses;
  return banned === 0
    ? sentence("verdict.guessed_all_free", { addresses: length })
    : sentence("verdict.guessed_some", { addresses: length, count: banned });
}

function working(facts: VerdictFacts, success: DecisionRecord): Said {
  const { lastFailure: failure, nowMs } = facts;
  const isRecent = failure !== undefined && Date.parse(success.time) - Date.parse(failure.time) < recentMs;
  return {
    state: "working",
    sentences: list(
      sentence("verdict.not_blocked"),
      sentence("verdict.succeeded", wayFacts(success, nowMs)),
      isRecent ? sentence("verdict.last_failure", runFacts(failure, nowMs)) : undefined,
      guessed(facts),
    ),
  };
}

const itsLastRight = ({ lastSuccess: success, nowMs }: VerdictFacts): Sentence | undefined =>
  success && sentence("verdict.its_last_right", placeFacts(success, nowMs));

/** The account is disabled, so every password fails. */
function disabled(facts: VerdictFacts, backend: string): Said {
  const { ownBans, nowMs } = facts;
  const ban = lastOf(ownBans);
  const sentences = list(
    sentence("cause.disabled", { backend }),
    itsLastRight(facts),
    ban && sentence("verdict.also_banned", { network: ban.network, until: momentText(ban.end, nowMs) }),
  );
  return { state: "denied", sentences, remedy: sentence("remedy.enable") };
}

/** An operator has suspended the account, so every password fails. */
function suspended(facts: VerdictFacts, { sentences = [], remedy_sentence: remedy }: ExplanationCause): Said {
  return { state: "blocked", sentences: list(...sentences, itsLastRight(facts)), remedy };
}

function delayed({ query, nowMs }: VerdictFacts, delay: NonNullable<Explanation["delay"]>): Said {
  const facts = { until: momentText(delay.until, nowMs), count: delay.wrong_passwords };
  return {
    state: "delayed",
    sentences: [sentence("verdict.delayed", facts)],
    remedy: sentence("remedy.end_delay", { account: query }),
  };
}

function unknown(facts: VerdictFacts): Said {
  const sentences = list(sentence("cause.unknown"), guessed(facts));
  return { state: "unknown", sentences, remedy: sentence("remedy.spelling") };
}

/** A single sign-in, with its outcome and any current ban. */
function ofReference({ ownBans, nowMs }: VerdictFacts, one: DecisionRecord): Said {
  const { account, outcome } = one;
  const ban = lastOf(ownBans);
  const whose = account === undefined ? {} : { account };
  if (outcome === "ok") {
    const code = account === undefined ? "verdict.this_succeeded" : "verdict.this_of_succeeded";
    return { state: "working", sentences: [sentence(code, { ...wayFacts(one, nowMs), ...whose })] };
  }
  const code = account === undefined ? "verdict.this_failed" : "verdict.this_of_failed";
  const itself = sentence(code, { ...runFacts(one, nowMs), ...whose });
  if (ban !== undefined) {
    const inForce = sentence("verdict.blocked", { until: momentText(ban.end, nowMs), ...banFacts(ban) });
    return { state: "blocked", sentences: [inForce, itself], remedy: unban(ban) };
  }
  if (outcome === "blocked") return { state: "lifted", sentences: [itself, sentence("verdict.ban_ended")] };
  const state = outcome === "undecided" ? "undecided" : "denied";
  return { state, sentences: [itself], remedy: remedyOf(one) };
}

function ofHistory(facts: VerdictFacts): Said {
  const { kind, standing, lastBans, lastSuccess, lastFailure } = facts;
  if (kind === "account" && isLast(lastFailure, lastSuccess)) {
    const ban = lastOf(lastBans);
    if (ban !== undefined) return blockedThere(facts, lastFailure, ban);
  }
  if (standing?.kind === "unknown") return unknown(facts);
  if (isLast(lastFailure, lastSuccess)) {
    const said = failed(facts, lastFailure);
    return { ...said, sentences: list(...said.sentences, guessed(facts)) };
  }
  if (lastSuccess !== undefined) return working(facts, lastSuccess);
  const nothing = [sentence("verdict.not_blocked"), sentence("verdict.none_recorded")];
  return { state: "unknown", sentences: list(...nothing, guessed(facts)) };
}

const notBlocked: ReadonlySet<string> = new Set(["verdict.not_blocked", "verdict.not_blocked_now"]);

/** What refuses some of the sign-ins is said before what the history says. */
function withLimits({ causes }: VerdictFacts, said: Said): Said {
  const limits = causes.filter(({ kind }) => kind === "factor" || kind === "hold");
  const [first] = limits;
  if (first === undefined) return said;
  const rest = said.sentences.filter(({ code }) => !notBlocked.has(code));
  const state = said.state === "denied" || said.state === "undecided" ? said.state : "limited";
  const sentences = [...limits.flatMap((cause) => cause.sentences ?? []), ...rest];
  return { state, sentences, remedy: first.remedy_sentence };
}

/** Bans and repeated passwords are explained by the program that causes them; a doubt turns what works into a question. */
function withReasons({ doubts = [], senders = [], causes, ownBans, lastBans }: VerdictFacts, said: Said): Said {
  // Of a suspended account, nothing else is to be asked or done.
  if (causes.some(({ kind }) => kind === "suspension")) return said;
  const isExplained = senders.length > 1 || ownBans.length + lastBans.length > 0;
  const sentences = [...said.sentences, ...(isExplained ? senders : []), ...doubts];
  const isDoubted = doubts.length > 0 && (said.state === "working" || said.state === "lifted");
  return { ...said, sentences, ...(isDoubted && { state: "doubted" }) };
}

/** A place from which many accounts are tried in vain is rather an attacker's than a customer's. */
function withGuessing({ triedAccounts: accounts, ownBans }: VerdictFacts, said: Said): Said {
  if (accounts === undefined) return said;
  const ban = lastOf(ownBans);
  return {
    ...said,
    sentences: [sentence("verdict.place_guessing", { accounts }), ...said.sentences],
    remedy: ban && sentence("remedy.unban_if", { network: ban.network }),
  };
}

function saidOf(facts: VerdictFacts): Said {
  const { kind, causes, ownBans, standing, delay, lastSuccess, lastFailure } = facts;
  const one = lastFailure ?? lastSuccess;
  if (kind === "reference" && one !== undefined) return ofReference(facts, one);
  const suspension = causes.find((cause) => cause.kind === "suspension");
  if (suspension !== undefined) return suspended(facts, suspension);
  if (standing?.kind === "disabled") return disabled(facts, standing.backend);
  const latest = lastOf(ownBans);
  if (latest !== undefined) return blocked(facts, latest);
  if (delay !== undefined) return delayed(facts, delay);
  return standing?.kind === "unknown" ? ofHistory(facts) : withLimits(facts, ofHistory(facts));
}

/** The answer to "what happened?", in a sentence; the first that applies. */
export function verdictOf(facts: VerdictFacts): Verdict {
  const { state, sentences, remedy } = withReasons(facts, withGuessing(facts, saidOf(facts)));
  return {
    state,
    verdict: englishOf(sentences),
    sentences: [...sentences],
    ...(remedy !== undefined && { remedy: englishOf([remedy]), remedy_sentence: remedy }),
  };
}
