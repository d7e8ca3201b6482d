import { kindOfId } from "./registration.ts";

/** Protocols of mail servers, as the scheme of a URI. */
const mailScheme = /^(?:imaps?|pop3?s?|smtps?|submissions?|sieve):\/\/([^/?#]+)\/?$/i;
const hostAndPort = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/;

/** Host names regardless of case, with or without the scheme of a mail protocol; URLs by their parts. */
function canonical(resource: string): string | undefined {
  const host = (mailScheme.exec(resource)?.[1] ?? resource).toLowerCase();
  if (hostAndPort.test(host)) return host;
  const url = URL.parse(resource);
  return url === null || url.hash !== "" ? undefined : url.href;
}

/**
 * Removes `resource` (RFC 8707) from the request of a registered mail client if it names only mail services of the site
 * (draft-ietf-mailmaint-oauth-public-06: host names for services other than HTTP). All of them have one audience, which
 * tokens of these clients have anyway, and the protocol core accepts no host names. Other resources remain, and are refused.
 */
export function acceptMailResources(params: URLSearchParams, known: readonly string[]): void {
  const named = params.getAll("resource");
  if (named.length === 0 || kindOfId(params.get("client_id") ?? "") !== "mail") return;
  const services = new Set(known.map(canonical));
  const isService = (resource: string): boolean => {
    const name = canonical(resource);
    return name !== undefined && services.has(name);
  };
  if (named.every(isService)) params.delete("resource");
}
