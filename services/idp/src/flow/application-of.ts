import type { FlowRecord } from "./flow-record.ts";

/** The application that requested a sign-in, for a link that leads back to it. */
export interface Application {
  readonly name: string;
  readonly href: string;
}

/** Applications of the web answer at the root of their origin; a port of loopback belongs to a native one, which has no page. */
function originPage(redirectUri: string | undefined): string | undefined {
  const url = redirectUri === undefined ? undefined : URL.parse(redirectUri);
  if (url === null || url === undefined || !["https:", "http:"].includes(url.protocol)) return undefined;
  return url.hostname === "127.0.0.1" || url.hostname === "[::1]" ? undefined : `${url.origin}/`;
}

/** Undefined for a sign-in to the account itself, and for a client that registered itself, whose name and address the site has not checked. */
export function applicationOf({ client, params }: FlowRecord): Application | undefined {
  if (client === undefined || client.isUnverified === true) return undefined;
  const href = client.startUri ?? originPage(params?.redirectUri);
  return href === undefined ? undefined : { name: client.name ?? client.id, href };
}
