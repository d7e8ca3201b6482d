import type { BanRecord, DecisionRecord, Explanation, ExplanationCause } from "@postern/shared/contracts";
import { type CidrSet, createCidrSet, parseCidr } from "@postern/shared/platform/net";
import { plural } from "../shown-values.ts";
import type { Standing } from "../standing.ts";
import { banCause, by, from, momentText, remedyOf, runText } from "./phrases.ts";

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
  readonly nowMs: number;
}

export type Verdict = Pick<Explanation, "state" | "verdict"> & { readonly remedy?: string };

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

const unban = ({ network }: BanRecord): string => `To lift the ban: postern unban ${network}`;

/** Where and when the customer last signed in with the correct password, and whether that address is banned now. */
function rightText({ kind, bans, nowMs }: VerdictFacts, success: DecisionRecord | undefined): string {
  if (success === undefined) return "";
  const when = momentText(success.time, nowMs);
  if (kind !== "account") return `; the last correct sign-in was at ${when}`;
  const isBanned = networksOf(bans).has(success.client_ip);
  const elsewhere = isBanned || success.client_ip === "" ? "" : ", which is not banned";
  return `; this customer's own password was correct at ${when}${from(success)}${elsewhere}`;
}

function blocked(facts: VerdictFacts, latest: BanRecord): Verdict {
  const verdict = `Blocked until ${momentText(latest.end, facts.nowMs)}: ${banCause(latest)}${rightText(facts, facts.lastSuccess)}.`;
  return { state: "blocked", verdict, remedy: unban(latest) };
}

/** The last failure came from a banned network in which no sign-in of the account succeeded. */
function blockedThere(facts: VerdictFacts, last: DecisionRecord, ban: BanRecord): Verdict {
  const { lastSuccess: success, nowMs } = facts;
  const [until, cause] = [momentText(ban.end, nowMs), banCause(ban)];
  const came = `The last sign-in came at ${momentText(last.time, nowMs)}${from(last)}${by(last)}`;
  if (success === undefined)
    return {
      state: "blocked",
      verdict: `Blocked until ${until}: ${cause}. ${came}; no correct sign-in of this account is recorded.`,
      remedy: unban(ban),
    };
  return {
    state: "denied",
    verdict: `Not blocked where this customer's own password was correct, at ${momentText(success.time, nowMs)}${from(success)}. ${came}, which is banned until ${until}: ${cause}.`,
    remedy: `If the customer is there: postern unban ${ban.network}`,
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

function failed(facts: VerdictFacts, last: DecisionRecord): Verdict {
  const { lastSuccess: success, nowMs } = facts;
  const right =
    success === undefined ? "" : ` The last correct sign-in was at ${momentText(success.time, nowMs)}${from(success)}.`;
  const over = isOver(facts, last);
  const ended = over ? " That has ended." : "";
  const verdict = `Not blocked now. The last sign-in failed at ${momentText(last.time, nowMs)}${from(last)}${by(last)}${runText(last, nowMs)}: ${last.text}.${ended}${right}`;
  if (over) return { state: "lifted", verdict };
  const remedy = remedyOf(last.reason, facts.account);
  const state = last.outcome === "undecided" ? "undecided" : "denied";
  return remedy === undefined ? { state, verdict } : { state, verdict, remedy };
}

function guessed({ kind, bans, guessing_addresses: addresses, lastFailure }: VerdictFacts): string {
  const isNew = addresses.length > 1 || addresses[0] !== lastFailure?.client_ip;
  if (kind !== "account" || addresses.length === 0 || !isNew) return "";
  const networks = networksOf(bans);
  const count = addresses.filter((address) => networks.has(address)).length;
  const banned = count === 0 ? "none of them is banned" : `${count} of them ${count === 1 ? "is" : "are"} banned`;
  if (addresses.length === 1)
    return ` Wrong passwords were sent from ${addresses[0]}, which is ${count === 0 ? "not " : ""}banned.`;
  return ` Wrong passwords were sent from ${addresses.length} addresses; ${banned}.`;
}

function working(facts: VerdictFacts, success: DecisionRecord): Verdict {
  const { lastFailure: failure, nowMs } = facts;
  const when = `${momentText(success.time, nowMs)}${from(success)}${by(success)}`;
  const isRecent = failure !== undefined && Date.parse(success.time) - Date.parse(failure.time) < recentMs;
  const before = isRecent
    ? ` The last failure was at ${momentText(failure.time, nowMs)}${from(failure)}${by(failure)}${runText(failure, nowMs)}: ${failure.text}.`
    : "";
  return { state: "working", verdict: `Not blocked. The last sign-in succeeded at ${when}.${before}${guessed(facts)}` };
}

/** The account is disabled, so every password fails. */
function disabled(facts: VerdictFacts, backend: string): Verdict {
  const { ownBans, lastSuccess: success, nowMs } = facts;
  const ban = lastOf(ownBans);
  const banned = ban === undefined ? "" : ` ${ban.network} is also banned until ${momentText(ban.end, nowMs)}.`;
  const right =
    success === undefined ? "" : ` Its last correct sign-in was at ${momentText(success.time, nowMs)}${from(success)}.`;
  const verdict = `The account is disabled in the backend ${backend}, so no sign-in succeeds.${right}${banned}`;
  return { state: "denied", verdict, remedy: "The account has to be enabled in its backend." };
}

/** An operator has suspended the account, so every password fails. */
function suspended({ lastSuccess: success, nowMs }: VerdictFacts, { text, remedy }: ExplanationCause): Verdict {
  const right =
    success === undefined ? "" : ` Its last correct sign-in was at ${momentText(success.time, nowMs)}${from(success)}.`;
  return { state: "blocked", verdict: `${text}${right}`, ...(remedy !== undefined && { remedy }) };
}

function delayed({ query, nowMs }: VerdictFacts, delay: NonNullable<Explanation["delay"]>): Verdict {
  return {
    state: "delayed",
    verdict: `Not blocked, but responses to networks that the account does not know are delayed until ${momentText(delay.until, nowMs)}: ${plural(delay.wrong_passwords, "wrong password", "wrong passwords")}.`,
    remedy: `To end the delay: postern flush ${query}`,
  };
}

function unknown(facts: VerdictFacts): Verdict {
  const verdict = `No backend has an account of this name, so no sign-in with it succeeds.${guessed(facts)}`;
  return { state: "unknown", verdict, remedy: "Ask the customer how the name is spelled." };
}

/** A single sign-in, with its outcome and any current ban. */
function ofReference(facts: VerdictFacts, one: DecisionRecord): Verdict {
  const { ownBans, nowMs } = facts;
  const ban = lastOf(ownBans);
  const whose = one.account === undefined ? "" : ` of ${one.account}`;
  const place = `${momentText(one.time, nowMs)}${from(one)}${by(one)}`;
  if (one.outcome === "ok") return { state: "working", verdict: `This sign-in${whose} succeeded at ${place}.` };
  const sentence = `This sign-in${whose} failed at ${place}${runText(one, nowMs)}: ${one.text}.`;
  if (ban !== undefined) {
    const verdict = `Blocked until ${momentText(ban.end, nowMs)}: ${banCause(ban)}. ${sentence}`;
    return { state: "blocked", verdict, remedy: unban(ban) };
  }
  if (one.outcome === "blocked") return { state: "lifted", verdict: `${sentence} The ban has ended.` };
  const remedy = remedyOf(one.reason, one.account);
  const state = one.outcome === "undecided" ? "undecided" : "denied";
  return { state, verdict: sentence, ...(remedy !== undefined && { remedy }) };
}

function ofHistory(facts: VerdictFacts): Verdict {
  const { kind, standing, lastBans, lastSuccess, lastFailure } = facts;
  if (kind === "account" && isLast(lastFailure, lastSuccess)) {
    const ban = lastOf(lastBans);
    if (ban !== undefined) return blockedThere(facts, lastFailure, ban);
  }
  if (standing?.kind === "unknown") return unknown(facts);
  if (isLast(lastFailure, lastSuccess)) {
    const verdict = failed(facts, lastFailure);
    return { ...verdict, verdict: verdict.verdict + guessed(facts) };
  }
  if (lastSuccess !== undefined) return working(facts, lastSuccess);
  return { state: "unknown", verdict: `Not blocked. No sign-in is recorded.${guessed(facts)}` };
}

/** What refuses some of the sign-ins is said before what the history says. */
function withLimits({ causes }: VerdictFacts, verdict: Verdict): Verdict {
  const limits = causes.filter(({ kind }) => kind === "factor" || kind === "hold");
  const [first] = limits;
  if (first === undefined) return verdict;
  const rest = verdict.verdict.replace(/^Not blocked(?: now)?\. /u, "");
  const state = verdict.state === "denied" || verdict.state === "undecided" ? verdict.state : "limited";
  const sentence = [...limits.map(({ text }) => text), rest].join(" ");
  return { state, verdict: sentence, ...(first.remedy !== undefined && { remedy: first.remedy }) };
}

/** The answer to "what happened?", in a sentence; the first that applies. */
export function verdictOf(facts: VerdictFacts): Verdict {
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
