import { domainToUnicode } from "node:url";
import { canonicalDomain } from "./canonical-domain.ts";

/** Most names have neither; they are never changed. */
const internationalised = /[\u0080-\uffff]|xn--/i;

function split(name: string): { readonly local: string; readonly domain: string } | undefined {
  const at = name.lastIndexOf("@");
  const domain = name.slice(at + 1);
  return at !== -1 && internationalised.test(domain) ? { local: name.slice(0, at + 1), domain } : undefined;
}

/**
 * An account or login name in the one spelling in which names are compared: an internationalised domain after the last `@` as
 * A-labels (RFC 5890 §2.3.2.1). All other names, and what follows the `@` if it is no domain, stay as they are.
 */
export function canonicalName(name: string): string {
  const parts = split(name);
  const domain = parts && canonicalDomain(parts.domain);
  return parts === undefined || domain === undefined ? name : `${parts.local}${domain}`;
}

/**
 * The names under which a backend may have the account: with A-labels, then with U-labels. A single one unless the domain is
 * internationalised.
 */
export function nameForms(name: string): readonly [string, ...string[]] {
  const canonical = canonicalName(name);
  const parts = split(canonical);
  const unicode = parts && domainToUnicode(parts.domain);
  if (parts === undefined || unicode === undefined || unicode === "" || unicode === parts.domain) return [canonical];
  return [canonical, `${parts.local}${unicode}`];
}
