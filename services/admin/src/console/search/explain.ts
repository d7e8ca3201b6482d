import type { BackendDescription, Explanation, SuspensionRecord, WrongPasswordSender } from "@postern/shared/contracts";
import type { Ban, BruteForceRecords, BruteForceRules } from "@postern/shared/domain/brute-force";
import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { DecisionHistory, RecordedDecision } from "@postern/shared/domain/history";
import { createCidrSet, parseCidr } from "@postern/shared/platform/net";
import type { Clock } from "@postern/shared/platform/time";
import type { FactorLimit } from "../../factor-locks/factor-locks-redis.ts";
import { englishOf, sentence } from "../../texts/messages.ts";
import { english } from "../../texts/texts.ts";
import { type Subject, subjectOf } from "../subject.ts";
import { accountOf, uniqueBans, writtenBan, writtenDecision } from "../written.ts";
import { type CauseFacts, causesOf, type Standing, standingOf } from "./causes.ts";
import { type createDoubts, doubtSentences } from "./doubts.ts";
import { verdictOf } from "./verdict.ts";
import { maxSenders, senderSentences, triedIn, wrongPasswordSenders } from "./wrong-passwords.ts";

export interface ExplainDeps {
  /** Undefined while no history is recorded. */
  readonly history: DecisionHistory | undefined;
  readonly bruteForce: Pick<BruteForceRecords, "bansOfAddress" | "addressesOf" | "delayedAmong" | "wrongPasswordsOf">;
  readonly rules: () => BruteForceRules;
  readonly accountNames: FindAccountNames;
  /** What each backend says about a name. May reject. */
  readonly describe: (name: string) => Promise<readonly BackendDescription[]>;
  readonly factorLimits: (account: string) => Promise<readonly FactorLimit[]>;
  /** The hold of an account whose sign-ins looked like those with a stolen password, if there is one in force. */
  readonly holdOf: (account: string) => Promise<CauseFacts["hold"]>;
  /** The suspension of one of these accounts, as somebody who is limited to visible accounts may read it. */
  readonly suspensionOf: (
    accounts: readonly string[],
    isVisible: IsVisible | undefined,
  ) => Promise<SuspensionRecord | undefined>;
  readonly doubtsOf: ReturnType<typeof createDoubts>;
  readonly clock: Clock;
}

type IsVisible = (account: string) => boolean;

const everyAccount: IsVisible = () => true;

/** Of a network or a reference without a sign-in that the caller may learn of. */
const hidden = sentence("verdict.nothing_of_own");
const nothingOfOwn = { state: "unknown", verdict: englishOf([hidden]), sentences: [hidden] };

/** What was found out about a subject. */
interface Found {
  readonly account?: string | undefined;
  readonly records: readonly RecordedDecision[];
  readonly bans: readonly Ban[];
  readonly ownBans: readonly Ban[];
  /** Bans of the address of the last failure. */
  readonly lastBans?: readonly Ban[];
  /** Bans of the addresses from which bans refused the last sign-ins. */
  readonly refusedBans?: readonly Ban[];
  readonly limits?: Pick<CauseFacts, "factorLimits" | "hold">;
  readonly standing?: Standing;
  readonly suspension?: SuspensionRecord | undefined;
  readonly delay?: Explanation["delay"];
  readonly doubts?: Explanation["doubts"];
  readonly senders?: readonly WrongPasswordSender[];
  readonly triedAccounts?: number | undefined;
  readonly guessingAddresses: readonly string[];
  readonly otherAccounts: readonly string[];
  readonly incomplete: readonly string[];
}

/** Addresses whose bans are looked up; each costs one key per rule. */
const maxAddresses = 100;
const maxFailures = 10;
/** Addresses from which bans refused sign-ins, the latest first. */
const maxRefused = 10;
const maxAccounts = 20;
const noHistory = english["incomplete.no_history"];
const isWide = english["incomplete.wide"];

function createBanLookup({ bruteForce }: ExplainDeps) {
  return async (addresses: readonly string[]): Promise<readonly Ban[]> => {
    const found = await Promise.all(addresses.slice(0, maxAddresses).map((one) => bruteForce.bansOfAddress(one)));
    return uniqueBans(found.flat());
  };
}

const addressesOf = (records: readonly RecordedDecision[]): readonly string[] =>
  [...new Set(records.map(({ clientIp }) => clientIp))].filter((address) => address !== "");

async function limitsOf({ factorLimits, holdOf }: ExplainDeps, account: string) {
  const [limits, hold] = await Promise.all([factorLimits(account), holdOf(account)]);
  return { factorLimits: limits, hold };
}

/** Programs that sent wrong passwords for the account, and from the network whose ban keeps it out: that may be a colleague's. */
function createSenders({ history, clock }: ExplainDeps) {
  return async (records: readonly RecordedDecision[], bans: readonly Ban[], isVisible: IsVisible) => {
    const [ban] = bans.toSorted((one, other) => other.expiresAtMs - one.expiresAtMs);
    const network = createCidrSet(ban === undefined ? [] : [ban.network]);
    const isThere = ({ clientIp }: RecordedDecision): boolean => network.has(clientIp);
    const address = records.find(isThere)?.clientIp ?? (ban && parseCidr(ban.network)?.address);
    const all = address === undefined ? [] : ((await history?.ofNetwork(address)) ?? []);
    const there = all.filter((record) => isThere(record) && isVisible(accountOf(record)));
    // The account's own records are in both.
    const own = records.filter((record) => !isThere(record) || there.length === 0);
    return [there, own].flatMap((some) => wrongPasswordSenders(some, clock.now())).slice(0, maxSenders);
  };
}

/** The subject is a customer: bans matter where the account signs in, not where it is attacked from. */
function createAccountSearch(deps: ExplainDeps) {
  const { history, bruteForce, accountNames, describe, doubtsOf, clock } = deps;
  const bansOf = createBanLookup(deps);
  const sendersOf = createSenders(deps);
  return async (name: string, isVisible: IsVisible): Promise<Found> => {
    const [known, backends] = await Promise.all([accountNames(name), describe(name).catch(() => undefined)]);
    const { accounts, spellings, isComplete } = known;
    const names = [...new Set([name, ...spellings, ...accounts])];
    const [found, guessing, delayed] = await Promise.all([
      Promise.all(
        [...new Set(names.map((one) => one.toLowerCase()))].map(async (one) => history?.ofAccount(one) ?? []),
      ),
      Promise.all(names.map((one) => bruteForce.addressesOf(one))),
      bruteForce.delayedAmong(names),
    ]);
    const records = found.flat().toSorted((a, b) => b.timeMs - a.timeMs);
    const guessingAddresses = [...new Set(guessing.flat())].slice(0, maxAddresses);
    const own = addressesOf(records.filter(({ outcome }) => outcome === "ok"));
    const failed = addressesOf(records.filter(({ outcome }) => outcome !== "ok").slice(0, 1));
    const refused = addressesOf(records.filter(({ outcome }) => outcome === "blocked")).slice(0, maxRefused);
    const account = accounts[0] ?? records.find((record) => record.account !== undefined)?.account;
    const [ownBans, lastBans, refusedBans, others, limits, suspension, doubts] = await Promise.all([
      bansOf(own),
      bansOf(failed),
      bansOf(refused),
      bansOf(guessingAddresses),
      limitsOf(deps, account ?? name),
      deps.suspensionOf(names, isVisible === everyAccount ? undefined : isVisible),
      doubtsOf(account ?? name, records, clock.now()),
    ]);
    const [first] = delayed;
    return {
      account,
      records,
      bans: uniqueBans([...ownBans, ...lastBans, ...refusedBans, ...others]),
      ownBans,
      lastBans,
      refusedBans,
      limits,
      suspension,
      doubts,
      senders: await sendersOf(records, ownBans.length > 0 ? ownBans : lastBans, isVisible),
      standing: standingOf(known, backends),
      delay: first && { wrong_passwords: first.wrongPasswords, until: new Date(first.untilMs).toISOString() },
      guessingAddresses,
      otherAccounts: [],
      incomplete: [
        ...(history === undefined ? [noHistory] : []),
        ...(isComplete ? [] : [english["incomplete.backend"]]),
      ],
    };
  };
}

type Place = Extract<Subject, { readonly kind: "address" | "network" }>;

function createPlaceSearch(deps: ExplainDeps) {
  const { history, bruteForce } = deps;
  return async (place: Place, isVisible: IsVisible): Promise<Found> => {
    const wide = place.kind === "network" && place.isWide;
    const [all, inForce] = await Promise.all([
      wide ? [] : (history?.ofNetwork(place.address) ?? []),
      bruteForce.bansOfAddress(place.address),
    ]);
    const records = all.filter((record) => place.contains(record.clientIp) && isVisible(accountOf(record)));
    // A ban concerns whoever signs in from there: of a network without accounts of its own, a limited caller learns nothing.
    const bans = isVisible === everyAccount || records.length > 0 ? inForce : [];
    const signedIn = records.filter(({ outcome }) => outcome === "ok").flatMap(({ account }) => account ?? []);
    const incomplete = [...(history === undefined ? [noHistory] : []), ...(wide ? [isWide] : [])];
    const otherAccounts = [...new Set(signedIn)].slice(0, maxAccounts);
    // What a ban of a whole network was caused by may come from another address of it.
    const banned = createCidrSet(bans.map(({ network }) => network).filter((one) => parseCidr(one) !== undefined));
    const there = all.filter((record) => place.contains(record.clientIp) || banned.has(record.clientIp));
    const senders = wrongPasswordSenders(
      there.filter((record) => isVisible(accountOf(record))),
      deps.clock.now(),
    );
    const found = { records, bans, ownBans: bans, senders, triedAccounts: triedIn(records) };
    return { ...found, guessingAddresses: [], otherAccounts, incomplete };
  };
}

function createReferenceSearch(deps: ExplainDeps) {
  const { history } = deps;
  const bansOf = createBanLookup(deps);
  return async (reference: string, isVisible: IsVisible): Promise<Found> => {
    const found = await history?.ofReference(reference);
    const record = found !== undefined && isVisible(accountOf(found)) ? found : undefined;
    const bans = record === undefined || record.clientIp === "" ? [] : await bansOf([record.clientIp]);
    const incomplete = history === undefined ? [noHistory] : [];
    const records = record === undefined ? [] : [record];
    return {
      account: record?.account,
      records,
      bans,
      ownBans: bans,
      guessingAddresses: [],
      otherAccounts: [],
      incomplete,
    };
  };
}

/** Why passwords are wrong, and why correct ones are doubted: for the verdict, and as the answer has it. */
function createReasons({ bruteForce }: ExplainDeps) {
  return async ({ doubts, senders }: Pick<Found, "doubts" | "senders">, nowMs: number) => {
    const [first] = senders ?? [];
    const said = {
      doubts: doubts && doubtSentences(doubts, nowMs),
      senders: first && senderSentences(first, await bruteForce.wrongPasswordsOf(first.account), nowMs),
    };
    return { said, written: { ...(doubts && { doubts }), ...(senders && { wrong_passwords: [...senders] }) } };
  };
}

/** A limited caller learns nothing of networks and references without a sign-in of its own accounts, not even that nothing is known. */
function isHidden(isVisible: IsVisible, kind: Subject["kind"], records: readonly RecordedDecision[]): boolean {
  return isVisible !== everyAccount && kind !== "account" && records.length === 0;
}

/**
 * Answers "what happened?" for anything that a customer may name. `isVisible` says whether the caller may learn of an account; of sign-ins of
 * others, the explanation contains nothing. @throws what Redis throws
 */
export function createExplain(deps: ExplainDeps) {
  const ofAccount = createAccountSearch(deps);
  const ofPlace = createPlaceSearch(deps);
  const ofReference = createReferenceSearch(deps);
  const reasonsOf = createReasons(deps);
  const search = (subject: Subject, isVisible: IsVisible): Promise<Found> => {
    if (subject.kind === "account") return ofAccount(subject.name, isVisible);
    return subject.kind === "reference" ? ofReference(subject.reference, isVisible) : ofPlace(subject, isVisible);
  };
  return async (query: string, isVisible: IsVisible = everyAccount): Promise<Explanation> => {
    const subject = subjectOf(query);
    const found = await search(subject, isVisible);
    const { account, records, delay, guessingAddresses, otherAccounts, incomplete } = found;
    const { kind } = subject;
    const rules = deps.rules();
    const written = (list: readonly Ban[] = []) => list.map((ban) => writtenBan(ban, rules));
    const [bans, ownBans, lastBans] = [written(found.bans), written(found.ownBans), written(found.lastBans)];
    const nowMs = deps.clock.now();
    const reasons = await reasonsOf(found, nowMs);
    const { standing, suspension, limits = { factorLimits: [], hold: undefined } } = found;
    const otherBans = uniqueBans([...(found.lastBans ?? []), ...(found.refusedBans ?? [])]);
    const about = { query, account, standing, suspension, ownBans, ...(delay && { delay }), ...limits, nowMs };
    const causes = [...causesOf({ ...about, otherBans: written(otherBans) })];
    const success = records.find(({ outcome }) => outcome === "ok");
    const lastSuccess = success && writtenDecision(success);
    const failures = records
      .filter(({ outcome }) => outcome !== "ok")
      .slice(0, maxFailures)
      .map((record) => writtenDecision(record));
    const facts = { query, kind, account, bans, ownBans, lastBans, guessing_addresses: [...guessingAddresses] };
    const verdict = isHidden(isVisible, kind, records)
      ? nothingOfOwn
      : verdictOf({
          ...facts,
          causes,
          ...(delay && { delay }),
          standing,
          triedAccounts: found.triedAccounts,
          lastSuccess,
          lastFailure: failures[0],
          ...reasons.said,
          nowMs,
        });
    return {
      query,
      kind,
      ...verdict,
      causes,
      ...(account !== undefined && { account }),
      bans,
      ...(delay && { delay }),
      ...reasons.written,
      ...(lastSuccess !== undefined && { last_success: lastSuccess }),
      last_failures: failures,
      guessing_addresses: [...guessingAddresses],
      other_accounts: [...otherAccounts],
      incomplete: [...incomplete],
    };
  };
}
