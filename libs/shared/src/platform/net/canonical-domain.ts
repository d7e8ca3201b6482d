import { domainToASCII } from "node:url";

const label = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
/** What would make a URL parser read only a part of the text as the host: it must be the whole text, for everybody who reads it. */
const isOfUrl = /[\s\p{Cc}/?#\\@%:]/u;
const domainName = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})+$`);

/**
 * A domain in the one spelling in which domains are compared: lower case, internationalised labels as A-labels (RFC 5890
 * §2.3.2.1), without a final dot. Undefined for what is not a domain name with at least two labels, such as an IP address.
 */
export function canonicalDomain(text: string): string | undefined {
  if (text.length > 254 || isOfUrl.test(text)) return undefined;
  const ascii = domainToASCII(text).toLowerCase().replace(/\.$/, "");
  return domainName.test(ascii) && !/(?:^|\.)\d+$/.test(ascii) ? ascii : undefined;
}
