import type { BanRecord, DecisionRecord, Sentence } from "@postern/shared/contracts";
import { sentence } from "../../texts/messages.ts";
import type { TextKey } from "../../texts/texts.ts";

type Facts = Sentence["values"];

/** `14:05 UTC` today, otherwise with the date. */
export function momentText(iso: string, nowMs: number): string {
  const [date = "", time = ""] = iso.split("T");
  const clock = `${time.slice(0, 5)} UTC`;
  return date === new Date(nowMs).toISOString().slice(0, 10) ? clock : `${date} ${clock}`;
}

/** Why a network is banned. */
export function banFacts({ failures, network, rule }: BanRecord): Facts {
  return { network, rule, ...(failures !== undefined && { failures }) };
}

/** When and from where. */
export function placeFacts({ time, client_ip: address }: DecisionRecord, nowMs: number): Facts {
  return { at: momentText(time, nowMs), address };
}

/** The same of the account's own sign-in. */
export function ownFacts(record: DecisionRecord, nowMs: number): Facts {
  const { at = "", address = "" } = placeFacts(record, nowMs);
  return { own_at: at, own_address: address };
}

/** When, from where and by what: with the mail program that the mail server named, so that the customer knows which device it was. */
export function wayFacts(record: DecisionRecord, nowMs: number): Facts {
  const { protocol, channel, client } = record;
  const isMail = channel === "mail" || channel === "mail_server";
  return { ...placeFacts(record, nowMs), protocol, ...(isMail && client !== undefined && { client }) };
}

/** The same with the number of equal sign-ins, and why they ended as they did. */
export function runFacts(record: DecisionRecord, nowMs: number): Facts {
  const { count, first_time: first, outcome, reason, rule, step } = record;
  return {
    ...wayFacts(record, nowMs),
    ...(count > 1 && { count, since: momentText(first, nowMs) }),
    outcome,
    ...(reason !== undefined && { reason }),
    ...(rule !== undefined && { rule }),
    ...(step !== undefined && { step }),
  };
}

const remedies: Readonly<Record<string, TextKey>> = {
  wrong_password: "remedy.wrong_password",
  risk: "remedy.risk",
  factor_locked: "remedy.unlock",
  account_disabled: "remedy.disabled",
  account_suspended: "remedy.resume",
  unknown_user: "remedy.spelling",
};

/** What helps after a sign-in that failed for this reason. Undefined if nothing is to be done. */
export function remedyOf({
  reason = "",
  account = "ACCOUNT",
  rule,
}: {
  readonly reason?: string | undefined;
  readonly account?: string | undefined;
  readonly rule?: string | undefined;
}): Sentence | undefined {
  if (reason === "policy") return rule === undefined ? undefined : sentence("remedy.policy", { policy: rule });
  const code = remedies[reason];
  return code === undefined ? undefined : sentence(code, { account });
}
