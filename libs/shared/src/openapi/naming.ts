/** The site's words on the wire (design decision 1). */
export interface SiteNames {
  /** `runtime.naming.identifier` */
  readonly identifier: string;
  /** `runtime.naming.proxy_segment` */
  readonly proxySegment: string;
  /** `runtime.naming.sasl_segment` */
  readonly saslSegment: string;
}

export const defaultNames: SiteNames = { identifier: "service", proxySegment: "proxy", saslSegment: "sasl" };

const genericPrefix = "X-Service-";

function headerPrefix(identifier: string): string {
  const words = identifier.split("-").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `X-${words.join("-")}-`;
}

/** A header's name, or words that speak of one, as this site spells it. */
export function siteHeader(text: string, { identifier }: SiteNames): string {
  return text.replaceAll(genericPrefix, headerPrefix(identifier));
}

export function sitePath(path: string, { proxySegment, saslSegment }: SiteNames): string {
  switch (path) {
    case "/api/v1/auth/proxy":
      return `/api/v1/auth/${proxySegment}`;
    case "/api/v1/auth/sasl":
      return `/api/v1/auth/${saslSegment}`;
    default:
      return path;
  }
}
