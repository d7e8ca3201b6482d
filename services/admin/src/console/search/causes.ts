import type { BanRecord, Explanation, ExplanationCause, SuspensionRecord } from "@postern/shared/contracts";
import type { FactorLimit } from "../../factor-locks/factor-locks-redis.ts";
import { plural } from "../shown-values.ts";
import type { Standing } from "../standing.ts";
import { banCause, momentText } from "./phrases.ts";

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

const factorNames = { totp: "authenticator app", recovery: "recovery codes" } as const;
const held: Readonly<Record<string, string>> = { mail: "Mail programs", submission: "Mail submission" };

function suspensionCause({ suspension, nowMs }: CauseFacts): readonly ExplanationCause[] {
  if (suspension === undefined) return [];
  const { account, since, until, reason, by } = suspension;
  const end = until === undefined ? "an operator resumes it" : momentText(until, nowMs);
  const message = reason === undefined ? "" : ` After a correct password, the user reads “${reason}”.`;
  const command = `postern resume ${account}`;
  return [
    {
      kind: "suspension",
      text: `${by === "" ? "An operator" : by} suspended the account at ${momentText(since, nowMs)}, until ${end}: every sign-in is refused.${message}`,
      ...(until !== undefined && { end: until }),
      remedy: `To resume the account: ${command}`,
      command,
      action: "resume",
      target: account,
    },
  ];
}

function standingCause(standing: Standing | undefined): readonly ExplanationCause[] {
  if (standing?.kind === "disabled")
    return [
      {
        kind: "disabled",
        text: `The account is disabled in the backend ${standing.backend}, so no sign-in succeeds.`,
        remedy: "The account has to be enabled in its backend.",
      },
    ];
  if (standing?.kind !== "unknown") return [];
  return [
    {
      kind: "unknown",
      text: "No backend has an account of this name, so no sign-in with it succeeds.",
      remedy: "Ask the customer how the name is spelled.",
    },
  ];
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
        text: `Sign-ins from ${network} are refused until ${momentText(end, nowMs)}: ${banCause(ban)}.`,
        end,
        remedy: own.has(network) ? `To lift the ban: ${command}` : `If the customer is there: ${command}`,
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
  const name = factorNames[factor];
  const verb = factor === "recovery" ? "are" : "is";
  const end = endMs === undefined ? undefined : new Date(endMs).toISOString();
  return {
    kind: "factor",
    text:
      end === undefined
        ? `The ${name} ${verb} locked until an operator unlocks the second factors: ${plural(count, "consecutive wrong code", "consecutive wrong codes")}.`
        : `The ${name} ${verb} not accepted until ${momentText(end, nowMs)}: ${plural(count, "attempt", "attempts")} in ten minutes.`,
    ...(end !== undefined && { end }),
    remedy: `To unlock the second factors: ${command}`,
    command,
    action: "unlock",
    target,
  };
}

/** Ended by a flush of the account. */
function flushed(facts: CauseFacts, kind: string, cause: Pick<ExplanationCause, "text" | "end">): ExplanationCause {
  const target = facts.account ?? facts.query;
  const command = `postern flush ${target}`;
  const word = kind === "delay" ? "end the delay" : "end the refusal, if the customer made these sign-ins";
  return { kind, ...cause, remedy: `To ${word}: ${command}`, command, action: "flush", target };
}

function accountCauses(facts: CauseFacts): readonly ExplanationCause[] {
  const { delay, hold, factorLimits, nowMs } = facts;
  const until = (end: string): string => momentText(end, nowMs);
  return [
    ...factorLimits.map((limit) => limitCause(facts, limit)),
    ...(hold === undefined
      ? []
      : [
          flushed(facts, "hold", {
            text: `${held[hold.kind] ?? hold.kind} in networks that the account does not know: refused until ${until(hold.end)}, because sign-ins looked like those with a stolen password.`,
            end: hold.end,
          }),
        ]),
    ...(delay === undefined
      ? []
      : [
          flushed(facts, "delay", {
            text: `Responses to networks that the account does not know are delayed until ${until(delay.until)}: ${plural(delay.wrong_passwords, "wrong password", "wrong passwords")}. Correct passwords succeed after the delay.`,
            end: delay.until,
          }),
        ]),
  ];
}

/** Everything that refuses or delays sign-ins now, what is worst first. */
export function causesOf(facts: CauseFacts): readonly ExplanationCause[] {
  return [...suspensionCause(facts), ...standingCause(facts.standing), ...banCauses(facts), ...accountCauses(facts)];
}
