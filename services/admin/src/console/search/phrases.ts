import type { BanRecord, DecisionRecord } from "@postern/shared/contracts";

/** `14:05 UTC` today, otherwise with the date. */
export function momentText(iso: string, nowMs: number): string {
  const [date = "", time = ""] = iso.split("T");
  const clock = `${time.slice(0, 5)} UTC`;
  return date === new Date(nowMs).toISOString().slice(0, 10) ? clock : `${date} ${clock}`;
}

export function banCause({ failures, network, rule }: BanRecord): string {
  const count = failures === undefined ? "too many failures" : `${failures} failures`;
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
