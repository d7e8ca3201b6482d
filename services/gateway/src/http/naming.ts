import { headerPrefix, sessionHeader } from "@postern/shared/platform/http";

/** The site's names in the HTTP interface (ADR 0021). */
export function wireNames(identifier: string) {
  const prefix = headerPrefix(identifier);
  return {
    /** `X-Service-`: prefix of session, memory cache and attribute headers. */
    prefix,
    session: sessionHeader(identifier),
    memoryCache: `${prefix}Memory-Cache`,
    /** Request header with the engines that have passed the request on, in lower case. */
    hops: `${prefix}Hops`.toLowerCase(),
  };
}

export type WireNames = Readonly<ReturnType<typeof wireNames>>;
