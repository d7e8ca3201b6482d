import { headerPrefix, sessionHeader } from "@postern/shared/platform/http";

/** The site's names in the HTTP interface (ADR 0021). */
export interface WireNames {
  /** `X-Service-`: prefix of session, memory cache and attribute headers. */
  readonly prefix: string;
  readonly session: string;
  readonly memoryCache: string;
}

export function wireNames(identifier: string): WireNames {
  const prefix = headerPrefix(identifier);
  return { prefix, session: sessionHeader(identifier), memoryCache: `${prefix}Memory-Cache` };
}
