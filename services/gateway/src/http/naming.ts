import { headerPrefix, sessionHeader } from "@postern/shared/platform/http";

/** The site's names in the HTTP interface (ADR 0021). */
export interface WireNames {
  /** `X-Service-`: prefix of session, memory cache and attribute headers. */
  readonly prefix: string;
  readonly session: string;
  readonly memoryCache: string;
  /** Request header with the engines that have passed the request on, in lower case. */
  readonly hops: string;
}

export function wireNames(identifier: string): WireNames {
  const prefix = headerPrefix(identifier);
  return {
    prefix,
    session: sessionHeader(identifier),
    memoryCache: `${prefix}Memory-Cache`,
    hops: `${prefix}Hops`.toLowerCase(),
  };
}
