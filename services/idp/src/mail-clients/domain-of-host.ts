import { agentConfigurationLabel, type MailServices, type MailServiceTable } from "@postern/shared/domain/mail-clients";

/** Labels that clients put before the mail domain. */
const labels = ["autoconfig", "autodiscover", agentConfigurationLabel];

/**
 * The services of the domain in a `Host` header: the mail domain itself or one of the labels before it, with or without a
 * port. Undefined for any other host.
 */
export function servicesOfHost(table: MailServiceTable, host: string | undefined): MailServices | undefined {
  const name = host?.replace(/:\d*$/, "").toLowerCase();
  if (name === undefined) return undefined;
  const label = labels.find((one) => name.startsWith(`${one}.`));
  return table.find(name) ?? (label === undefined ? undefined : table.find(name.slice(label.length + 1)));
}
