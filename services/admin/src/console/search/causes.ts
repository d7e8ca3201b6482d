import type {
  BackendDescription,
  BanRecord,
  Explanation,
  ExplanationCause,
  Sentence,
  SuspensionRecord,
} from "@postern/shared/contracts";
import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { FactorLimit } from "../../factor-locks/factor-locks-redis.ts";
import { englishOf, sentence } from "../../texts/messages.ts";
import { isTextKey } from "../../texts/texts.ts";
import { banFacts, momentText } from "./phrases.ts";

/** What may keep a user out now. */
export interface CauseFacts {
  readonly query: string;
  readonly account: string | undefined;
  readonly standing: Standing | undefined;
  readonly suspension?: SuspensionRecord | undefined;
  /** Bans of networks from which the account signed in correctly, or of the network asked for. */
  readonly ownBans: readonly BanRecord[];
  /** Bans of other networks from which sign-ins with the name were refused or failed: the customer's, or an attacker's. */
  readonly otherBans: readonly BanRecord[];
  readonly delay?: Explanation["delay"];
  readonly hold?: { readonly kind: string; readonly end: string } | undefined;
  readonly factorLimits: readonly FactorLimit[];
  readonly nowMs: number;
}

/** The texts of a cause, in English and as sentences. */
function said(sentences: readonly Sentence[], remedy: Sentence) {
  return {
    text: englishOf(sentences),
    sentences: [...sentences],
    remedy: englishOf([remedy]),
    remedy_sentence: remedy,
  };
}

/** @param by empty if the reader may not see who it was */
function suspendedBy(
  by: string,
  { since, until }: { readonly since: string; readonly until?: string | undefined },
): Sentence {
  if (by === "")
    return until === undefined
      ? sentence("cause.suspended_by_operator", { since })
      : sentence("cause.suspended_by_operator_until", { since, until });
  return until === undefined
    ? sentence("cause.suspended", { by, since })
    : sentence("cause.suspended_until", { by, since, until });
}

function suspensionCause({ suspension, nowMs }: CauseFacts): readonly ExplanationCause[] {
  if (suspension === undefined) return [];
  const { account, since, until, reason, by } = suspension;
  const sentences = [
    suspendedBy(by, { since: momentText(since, nowMs), until: until && momentText(until, nowMs) }),
    ...(reason === undefined ? [] : [sentence("cause.suspension_text", { text: reason })]),
  ];
  return [
    {
      kind: "suspension",
      ...said(sentences, sentence("remedy.resume", { account })),
      ...(until !== undefined && { end: until }),
      command: `postern resume ${account}`,
      action: "resume",
      target: account,
    },
  ];
}

function standingCause(standing: Standing | undefined): readonly ExplanationCause[] {
  if (standing?.kind === "disabled") {
    const { backend } = standing;
    return [{ kind: "disabled", ...said([sentence("cause.disabled", { backend })], sentence("remedy.enable")) }];
  }
  if (standing?.kind !== "unknown") return [];
  return [{ kind: "unknown", ...said([sentence("cause.unknown")], sentence("remedy.spelling")) }];
}

/** Where a network has several bans, the one that ends last is shown: unbanning removes all of them. */
function lastOfEach(bans: readonly BanRecord[]): readonly BanRecord[] {
  const last = new Map<string, BanRecord>();
  for (const ban of bans) {
    const known = last.get(ban.network);
    if (known === undefined || known.end < ban.end) last.set(ban.network, ban);
  }
  return [...last.values()].toSorted((a, b) => b.end.localeCompare(a.end));
}

function banCauses({ ownBans, otherBans, nowMs }: CauseFacts): readonly ExplanationCause[] {
  const own = new Set(ownBans.map(({ network }) => network));
  return lastOfEach([...ownBans, ...otherBans])
    .toSorted((a, b) => Number(own.has(b.network)) - Number(own.has(a.network)))
    .map((ban) => {
      const { network, end } = ban;
      const command = `postern unban ${network}`;
      return {
        kind: "ban",
        ...said(
          [sentence("cause.ban", { ...banFacts(ban), until: momentText(end, nowMs) })],
          sentence(own.has(network) ? "remedy.unban" : "remedy.unban_if", { network }),
        ),
        end,
        command,
        action: "unban",
        target: network,
      };
    });
}

function limitCause({ account, query, nowMs }: CauseFacts, limit: FactorLimit): ExplanationCause {
  const { factor, count, endMs } = limit;
  const target = account ?? query;
  const command = `postern unlock ${target}`;
  const end = endMs === undefined ? undefined : new Date(endMs).toISOString();
  const text =
    end === undefined
      ? sentence(`cause.locked_${factor}`, { count })
      : sentence(`cause.limited_${factor}`, { count, until: momentText(end, nowMs) });
  return {
    kind: "factor",
    ...said([text], sentence("remedy.unlock", { account: target })),
    ...(end !== undefined && { end }),
    command,
    action: "unlock",
    target,
  };
}

/** Ended by a flush of the account. */
function flushed(facts: CauseFacts, kind: "delay" | "hold", text: Sentence, end: string): ExplanationCause {
  const target = facts.account ?? facts.query;
  const remedy = sentence(kind === "delay" ? "remedy.end_delay" : "remedy.end_hold", { account: target });
  return { kind, ...said([text], remedy), end, command: `postern flush ${target}`, action: "flush", target };
}

function holdSentence(kind: string, until: string): Sentence {
  const key = `cause.hold_${kind}`;
  return sentence(isTextKey(key) ? key : "cause.hold_mail", { until });
}

function accountCauses(facts: CauseFacts): readonly ExplanationCause[] {
  const { delay, hold, factorLimits, nowMs } = facts;
  const until = (end: string): string => momentText(end, nowMs);
  return [
    ...factorLimits.map((limit) => limitCause(facts, limit)),
    ...(hold === undefined ? [] : [flushed(facts, "hold", holdSentence(hold.kind, until(hold.end)), hold.end)]),
    ...(delay === undefined
      ? []
      : [
          flushed(
            facts,
            "delay",
            sentence("cause.delay", { until: until(delay.until), count: delay.wrong_passwords }),
            delay.until,
          ),
        ]),
  ];
}

/** Everything that refuses or delays sign-ins now, what is worst first. */
export function causesOf(facts: CauseFacts): readonly ExplanationCause[] {
  return [...suspensionCause(facts), ...standingCause(facts.standing), ...banCauses(facts), ...accountCauses(facts)];
}

/** What the backends say about a name. `unclear`: one that may know it did not answer. */
export type Standing =
  | { readonly kind: "found" | "unknown" | "unclear" }
  | { readonly kind: "disabled"; readonly backend: string };

/** @param backends undefined if no engine answered */
export function standingOf(
  { accounts, isComplete }: Awaited<ReturnType<FindAccountNames>>,
  backends: readonly BackendDescription[] | undefined,
): Standing {
  // The first backend that has the account decides.
  const first = backends?.find(({ outcome }) => outcome === "found" || outcome === "disabled");
  if (first?.outcome === "disabled") return { kind: "disabled", backend: first.name };
  if (first !== undefined || accounts.length > 0) return { kind: "found" };
  const isAnswered = backends?.every(({ outcome }) => outcome !== "unavailable") ?? false;
  return { kind: isAnswered && isComplete ? "unknown" : "unclear" };
}
