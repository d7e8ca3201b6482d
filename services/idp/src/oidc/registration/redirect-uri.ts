const longest = 512;

/** RFC 3986 §2 without `*`, which would look like a wildcard. A fragment is refused by the lack of `#`. */
const uriCharacters = /^(?:[A-Za-z0-9\-._~:/?[\]@!$&'()+,;=]|%[0-9A-Fa-f]{2})+$/;
/** A scheme that contains a domain of its author in reverse order (RFC 8252 §7.1). */
const privateScheme = /^([a-z][a-z0-9+-]*(?:\.[a-z0-9][a-z0-9+-]*)+):(\/.*)$/;
const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(?=[/?]|$)/;
const dotSegment = /\/(?:\.|%2e){1,2}(?:\/|$)/i;
const hiddenSeparator = /%(?:2f|5c|00|0a|0d)/i;

export type RedirectKind = "loopback" | "private" | "https";

function authorityOf(uri: string): string | undefined {
  return /^[^:]+:\/\/([^/?]*)/.exec(uri)?.[1];
}

function hasTricks(uri: string): boolean {
  const [path = ""] = uri.split("?", 1);
  return dotSegment.test(path) || hiddenSeparator.test(path) || authorityOf(uri)?.includes("@") === true;
}

/** Whether the parser of browsers reads the address as it is written, so that nothing is hidden by normalisation. */
function isPlain(uri: string): boolean {
  const href = URL.parse(uri)?.href;
  return href === uri || (href !== undefined && href === withSlash(uri));
}

function withSlash(uri: string): string {
  const at = uri.indexOf("?");
  return at < 0 ? `${uri}/` : `${uri.slice(0, at)}/${uri.slice(at)}`;
}

/**
 * The kind of a redirect URI that a native application may have: a loopback address (RFC 8252 §7.3), a private-use scheme
 * (§7.1) or a claimed https address (§7.2) of a permitted host. Undefined for anything else, such as user information,
 * fragments, dot segments and wildcards.
 */
export function redirectKind(uri: string, isHttpsHost: (host: string) => boolean): RedirectKind | undefined {
  if (uri.length > longest || !uriCharacters.test(uri) || hasTricks(uri) || !isPlain(uri)) return undefined;
  if (uri.startsWith("http:")) return loopback.test(uri) ? "loopback" : undefined;
  if (uri.startsWith("https:")) return isHttpsHost(URL.parse(uri)?.host ?? "") ? "https" : undefined;
  return privateScheme.test(uri) ? "private" : undefined;
}
