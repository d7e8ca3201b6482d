import type { SiteNames } from "../http/operation-routes.ts";

const genericPrefix = "X-Service-";

function headerPrefix(identifier: string): string {
  const words = identifier.split("-").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `X-${words.join("-")}-`;
}

/** A header name, or text that contains one, with this site's names. */
export function siteHeader(text: string, { identifier }: SiteNames): string {
  return text.replaceAll(genericPrefix, headerPrefix(identifier));
}
