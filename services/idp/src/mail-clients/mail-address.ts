import { agentConfigurationLabel, type MailServices } from "@postern/shared/domain/mail-clients";
import { canonicalDomain } from "@postern/shared/platform/net";

/** RFC 5321 §4.5.3.1: a path has at most 256 octets with its brackets, a local part 64. */
const maxAddress = 254;
const maxLocalPart = 64;

export interface MailAddress {
  /** The form that the user wrote. */
  readonly address: string;
  readonly localPart: string;
  /** In the spelling of `canonicalDomain`. */
  readonly domain: string;
}

/** Reads a mail address: what follows the last @ is the domain. Undefined for anything else. */
export function readMailAddress(text: string): MailAddress | undefined {
  const at = text.lastIndexOf("@");
  if (at < 1 || at > maxLocalPart || text.length > maxAddress || !text.isWellFormed()) return undefined;
  const localPart = text.slice(0, at);
  const domain = canonicalDomain(text.slice(at + 1));
  if (domain === undefined || /[\s\p{Cc}<>]/u.test(localPart)) return undefined;
  return { address: text, localPart, domain };
}

/** The user name at the mail servers. */
export function userNameAt({ userName }: MailServices, { address, localPart }: MailAddress): string {
  return userName === "address" ? address : localPart;
}

/** The mail services of domains. `find` takes any spelling; it rejects if the source of the domain's record does not answer. */
export interface MailServicesOf {
  /** Host of the sign-in pages, which also serves the settings. */
  readonly publicUrl: URL;
  readonly find: (domain: string) => Promise<MailServices | undefined>;
}

/** Labels that clients put before the mail domain. */
const labels = ["autoconfig", "autodiscover", agentConfigurationLabel];

/**
 * The services of the domain in a `Host` header: the mail domain itself or one of the labels before it, with or without a
 * port. Undefined for any other host.
 */
export async function servicesOfHost(
  services: Pick<MailServicesOf, "find">,
  host: string | undefined,
): Promise<MailServices | undefined> {
  const name = host?.replace(/:\d*$/, "").toLowerCase();
  if (name === undefined) return undefined;
  const label = labels.find((one) => name.startsWith(`${one}.`));
  const below = label === undefined ? undefined : await services.find(name.slice(label.length + 1));
  return below ?? services.find(name);
}
