import { type Static, Type } from "typebox";
import { Value } from "typebox/value";

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
  /** The brute-force rule of a ban. */
  readonly rule: string;
  /** Step of a sign-in on the pages. */
  readonly step: string;
  /** Application that the sign-in was for, or the mail program that the mail server named. */
  readonly client: string;
  /** GUID of the request. */
  readonly session: string;
  /** The wrong password was counted before, so it does not count again. */
  readonly isRepeated?: boolean;
}

/** How a failure weighs: it counts towards a ban, repeats a password that was counted, or a ban refused it. */
export const failureKinds = ["counted", "repeated", "refused"] as const;
export type FailureKind = (typeof failureKinds)[number];

/** Consecutive equal decisions as one: how often, and when first and last. */
export interface DecisionRun extends DecisionNote {
  readonly firstMs: number;
  readonly count: number;
}

const text = Type.String();
const Sealed = Type.Tuple([
  Type.Enum([...decisionOutcomes]),
  Type.Enum([...decisionChannels]),
  Type.Tuple([text, text, text, text, text, text, text, text, text]),
]);

/** The part of a run that is encrypted; times, count and reference stay readable for the script that merges runs. */
export interface RecordedDecision extends Omit<DecisionRun, "account"> {
  readonly account: string | undefined;
  /** The process that decided. */
  readonly instance: string;
}

const maxName = 256;

export function sealedPart(run: DecisionRun, instance: string): string {
  const { outcome, channel, account = "", username, clientIp, protocol, reason, rule, step, client } = run;
  const typed = username === account ? "" : username.slice(0, maxName);
  const texts: Static<typeof Sealed>[2] = [
    account.slice(0, maxName),
    typed,
    clientIp,
    protocol.slice(0, 64),
    reason.slice(0, 64),
    rule.slice(0, 64),
    step,
    client.slice(0, maxName),
    instance,
  ];
  return JSON.stringify([outcome, channel, texts] satisfies Static<typeof Sealed>);
}

/** Undefined for anything that `sealedPart` did not write. */
export function openedPart(
  text: string,
): Omit<RecordedDecision, "timeMs" | "firstMs" | "count" | "session"> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Value.Check(Sealed, value)) return undefined;
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
