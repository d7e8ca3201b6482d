import type { BanRecord, DecisionRecord, Explanation } from "@postern/shared/contracts";

/** What the sentence is made from. */
export interface VerdictFacts extends Pick<Explanation, "query" | "kind" | "bans" | "delay" | "guessing_addresses"> {
  /** The bans that keep the subject itself out; for an account, those of its own addresses. */
  readonly ownBans: readonly BanRecord[];
  readonly lastSuccess: DecisionRecord | undefined;
  readonly lastFailure: DecisionRecord | undefined;
  readonly nowMs: number;
}

export type Verdict = Pick<Explanation, "state" | "verdict"> & { readonly remedy?: string };

/** `14:05 UTC` today, otherwise with the date. */
function momentText(iso: string, nowMs: number): string {
  const [date = "", time = ""] = iso.split("T");
  const clock = `${time.slice(0, 5)} UTC`;
  return date === new Date(nowMs).toISOString().slice(0, 10) ? clock : `${date} ${clock}`;
}

function banCause({ failures, network, rule }: BanRecord): string {
  const count = failures === undefined ? "too many failures" : `${failures} failures`;
  return `${count} from ${network} (rule ${rule})`;
}

function from({ client_ip: address }: DecisionRecord): string {
  return address === "" ? "" : ` from ${address}`;
}

function blocked(facts: VerdictFacts, latest: BanRecord): Verdict {
  const { kind, lastSuccess, nowMs } = facts;
  const right =
    lastSuccess === undefined
      ? ""
      : kind === "account"
        ? `; this customer's own password was right at ${momentText(lastSuccess.time, nowMs)}${from(lastSuccess)}`
        : `; the last correct sign-in was at ${momentText(lastSuccess.time, nowMs)}`;
  return {
    state: "blocked",
    verdict: `Blocked until ${momentText(latest.end, nowMs)}: ${banCause(latest)}${right}.`,
    remedy: `To lift the ban: postern unban ${latest.network}`,
  };
}

function isNewer(a: DecisionRecord | undefined, b: DecisionRecord | undefined): a is DecisionRecord {
  return a !== undefined && (b === undefined || a.time > b.time);
}

const remedies: Readonly<Record<string, string>> = {
  wrong_password: "Have the customer check the password in every program; postern flush removes cached results.",
  risk: "Ask the customer whether they signed in from there. If so, postern flush ends the refusal; if not, the password must be changed.",
  factor_locked: "To unlock the second factors: postern unlock ACCOUNT",
  account_disabled: "The account has to be enabled in its backend.",
};

function failed({ nowMs }: VerdictFacts, last: DecisionRecord): Verdict {
  const times = last.count > 1 ? ` (${last.count} times since ${momentText(last.first_time, nowMs)})` : "";
  const verdict = `Not blocked now. The last sign-in failed at ${momentText(last.time, nowMs)}${from(last)} by ${last.protocol}${times}: ${last.text}.`;
  const remedy = remedies[last.reason ?? ""];
  const state = last.outcome === "undecided" ? "undecided" : "denied";
  return remedy === undefined ? { state, verdict } : { state, verdict, remedy };
}

function guessed({ kind, bans, guessing_addresses: addresses }: VerdictFacts): string {
  if (kind !== "account" || addresses.length === 0) return "";
  const banned = bans.length === 0 ? "none of their networks is banned" : `${bans.length} of their networks are banned`;
  return ` Wrong passwords were sent from ${addresses.length} ${addresses.length === 1 ? "address" : "addresses"}; ${banned}.`;
}

/** The answer to "what happened?", in a sentence; the first that applies. */
export function verdictOf(facts: VerdictFacts): Verdict {
  const { ownBans, delay, lastSuccess, lastFailure, nowMs, query } = facts;
  const latest = ownBans.toSorted((a, b) => (a.end < b.end ? 1 : -1))[0];
  if (latest !== undefined) return blocked(facts, latest);
  if (delay !== undefined) {
    const until = momentText(delay.until, nowMs);
    return {
      state: "delayed",
      verdict: `Not blocked, but responses to networks that the account does not know are delayed until ${until}: ${delay.wrong_passwords} wrong passwords.`,
      remedy: `To end the delay: postern flush ${query}`,
    };
  }
  if (isNewer(lastFailure, lastSuccess)) {
    const verdict = failed(facts, lastFailure);
    return { ...verdict, verdict: verdict.verdict + guessed(facts) };
  }
  if (lastSuccess !== undefined) {
    const when = `${momentText(lastSuccess.time, nowMs)}${from(lastSuccess)} by ${lastSuccess.protocol}`;
    return { state: "working", verdict: `Not blocked. The last sign-in succeeded at ${when}.${guessed(facts)}` };
  }
  return { state: "unknown", verdict: `Not blocked. No sign-in is recorded.${guessed(facts)}` };
}
