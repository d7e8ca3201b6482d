import { type Static, Type } from "typebox";
import { compileCheck } from "../../platform/bus/schema-check.ts";

/** Outcomes of a sign-in, as operators see them. */
export const decisionOutcomes = ["ok", "denied", "blocked", "undecided"] as const;
export type DecisionOutcome = (typeof decisionOutcomes)[number];

/** Where the user signed in: a mail program, the sign-in pages, the JWT endpoints, or a mail server that reported it. */
export const decisionChannels = ["mail", "browser", "jwt", "mail_server"] as const;
export type DecisionChannel = (typeof decisionChannels)[number];

/** A sign-in and its outcome, as the deciding service records it. */
export interface DecisionNote {
  readonly timeMs: number;
  readonly outcome: DecisionOutcome;
  readonly channel: DecisionChannel;
  /** The backend's own name of the account; undefined if nothing showed that the account exists. */
  readonly account: string | undefined;
  /** The name as typed. */
  readonly username: string;
  readonly clientIp: string;
  readonly protocol: string;
  /** Why it was not a success: a denial reason, or the code of a temporary failure. */
  readonly reason: string;
  /** The brute-force rule of a ban, or the policy of a denial. */
  readonly rule: string;
  /** Step of a sign-in on the pages. */
  readonly step: string;
  /** Application that the sign-in was for, or the mail program that the mail server named. */
  readonly client: string;
  /** GUID of the request. */
  readonly session: string;
  /** The wrong password was counted before, so it does not count again. */
  readonly isRepeated?: boolean;
  /** A success of an account whose sign-ins failed before. */
  readonly isAfterFailure?: boolean;
}

/** How a failure weighs: it counts towards a ban, repeats a password that was counted, or a ban refused it. */
export const failureKinds = ["counted", "repeated", "refused"] as const;
export type FailureKind = (typeof failureKinds)[number];

/** Equal decisions as one: how often, and when first and last. */
export interface DecisionRun extends DecisionNote {
  readonly firstMs: number;
  readonly count: number;
  /** Such decisions may be recorded already, and this run continues them. */
  readonly isRepetition?: boolean;
}

/** What is written together. */
export interface DecisionBatch {
  readonly runs: readonly DecisionRun[];
  /** Decisions other than successes, repetitions too: a user may report the reference of any of them. */
  readonly referred: readonly DecisionNote[];
  /** Counts of decisions by minute and outcome: `<minute>:<outcome>`. */
  readonly traffic: readonly (readonly [field: string, count: number])[];
  readonly failingNetworks: readonly (readonly [network: string, failures: number, kind: FailureKind])[];
}

const text = Type.String();
const Sealed = Type.Tuple([
  Type.Enum([...decisionOutcomes]),
  Type.Enum([...decisionChannels]),
  Type.Tuple([text, text, text, text, text, text, text, text, text]),
]);

/** A page opens hundreds of records. */
const sealed = compileCheck(Sealed);

/** Sign-ins on one day, which is a number of days since the epoch. */
export interface DayCount {
  readonly day: number;
  readonly count: number;
}

/** A run as operators read it. */
export interface RecordedDecision extends DecisionRun {
  /** The process that decided. */
  readonly instance: string;
  /** Ordinary successes by day, the latest first. Absent for what is recorded individually. */
  readonly days?: readonly DayCount[];
}

const maxName = 256;

const code = (word: string): string => word.slice(0, 64);

/** The part of a run that is encrypted; times, count and reference stay readable for the script that merges runs. */
export function sealedPart(run: DecisionRun, instance: string): Static<typeof Sealed> {
  const { outcome, channel, account = "", username, clientIp, protocol, reason, rule, step, client } = run;
  const typed = username === account ? "" : username.slice(0, maxName);
  const who = [account.slice(0, maxName), typed, clientIp] as const;
  const how = [code(protocol), code(reason), code(rule), step, client.slice(0, maxName), instance] as const;
  return [outcome, channel, [...who, ...how]];
}

/** Undefined for anything that `sealedPart` did not make. */
export function openedPart(value: unknown) {
  if (!sealed.accepts(value)) return undefined;
  const [outcome, channel, texts] = value;
  const [account, username, clientIp, protocol, reason, rule, step, client, instance] = texts;
  return {
    outcome,
    channel,
    account: account === "" ? undefined : account,
    username: username === "" ? account : username,
    clientIp,
    protocol,
    reason,
    rule,
    step,
    client,
    instance,
  };
}
