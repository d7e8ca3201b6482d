import type { BanRecord, DecisionRecord } from "@postern/shared/contracts";
import { plural } from "../shown-values.ts";

/** `14:05 UTC` today, otherwise with the date. */
export function momentText(iso: string, nowMs: number): string {
  const [date = "", time = ""] = iso.split("T");
  const clock = `${time.slice(0, 5)} UTC`;
  return date === new Date(nowMs).toISOString().slice(0, 10) ? clock : `${date} ${clock}`;
}

export function banCause({ failures, network, rule }: BanRecord): string {
  const count = failures === undefined ? "too many failures" : plural(failures, "failure", "failures");
  return `${count} from ${network} (rule ${rule})`;
}

export function from({ client_ip: address }: DecisionRecord): string {
  return address === "" ? "" : ` from ${address}`;
}

/** With the mail program that the mail server named, so that the customer knows which device it was. */
export function by({ protocol, channel, client }: DecisionRecord): string {
  const isMail = channel === "mail" || channel === "mail_server";
  return isMail && client !== undefined ? ` by ${protocol} with ${client}` : ` by ${protocol}`;
}

/** Empty for a single sign-in. */
export function runText({ count, first_time: first }: DecisionRecord, nowMs: number): string {
  return count > 1 ? ` (${count} times since ${momentText(first, nowMs)})` : "";
}

const remedies: Readonly<Record<string, string>> = {
  wrong_password: "Have the customer check the password in every program; postern flush removes cached results.",
  risk: "Ask the customer whether they signed in from there. If so, postern flush ends the refusal; if not, the password must be changed.",
  factor_locked: "To unlock the second factors: postern unlock ACCOUNT",
  account_disabled:
    "The account has to be enabled in its backend, or its password changed: detail in the log line says which.",
  account_suspended: "To resume the account: postern resume ACCOUNT",
  unknown_user: "Ask the customer how the name is spelled.",
};

/** What helps after a sign-in that failed for this reason. Undefined if nothing is to be done. */
export function remedyOf(reason: string | undefined, account: string | undefined): string | undefined {
  return remedies[reason ?? ""]?.replace("ACCOUNT", () => account ?? "ACCOUNT");
}
