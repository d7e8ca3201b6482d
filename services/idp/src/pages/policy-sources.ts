/**
 * The source by which a CSP allows a form to lead to this address: browsers apply `form-action` to the redirects after
 * a form, so the redirect to the application must be named. Undefined for anything that is not an address.
 */
export function formTargetOf(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  if (url === null || !/^[a-z][a-z0-9+.-]*:$/.test(url.protocol)) return undefined;
  if (url.protocol !== "http:" && url.protocol !== "https:") return url.protocol;
  // CSP has no syntax for a host in brackets (CSP 3 §2.3.1), so an IPv6 loopback is allowed by its scheme.
  return url.hostname.startsWith("[") ? url.protocol : url.origin;
}

/** The CSP source of an external image, which must be https. Undefined: the image is not shown. */
function imageSourceOf(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  if (url === null || url.protocol !== "https:" || url.hostname.startsWith("[")) return undefined;
  return url.username === "" && url.password === "" ? url.origin : undefined;
}

/** The logo of an application and its CSP source; neither if it may not be shown. */
export function logoOf(address: string | undefined): {
  readonly logo: string | undefined;
  readonly imageSources: readonly string[];
} {
  const source = imageSourceOf(address);
  return source === undefined ? { logo: undefined, imageSources: [] } : { logo: address, imageSources: [source] };
}
