/** Headers of every page. */
const common = Object.freeze({
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "publickey-credentials-get=(self), publickey-credentials-create=(self), geolocation=(), camera=(), microphone=(), payment=(), usb=()",
});

const scriptPolicy = "script-src 'self'; connect-src 'self'";

const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'";

export interface PolicyOptions {
  /** Sources, besides our own, to which the page's forms may lead. */
  readonly formTargets: readonly string[];
  /** Sources, besides our own, that its frames may load; undefined: it has no frames. */
  readonly frameTargets?: readonly string[] | undefined;
  /** Sources, besides our own, of its images. */
  readonly imageSources?: readonly string[] | undefined;
  /** Whether the page runs a script. */
  readonly script: boolean;
}

export interface SecurityHeaders {
  page(options: PolicyOptions): Readonly<Record<string, string>>;
  /** Headers of a file that never changes under its name. */
  readonly asset: Readonly<Record<string, string>>;
}

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

export function createSecurityHeaders(issuer: string): SecurityHeaders {
  const transport = issuer.startsWith("http://")
    ? {}
    : { "strict-transport-security": "max-age=31536000; includeSubDomains" };
  const base = Object.freeze({ ...common, ...transport, "content-type": "text/html; charset=utf-8" });
  return {
    page: ({ formTargets, frameTargets, imageSources = [], script }) => ({
      ...base,
      "content-security-policy": [
        policy,
        ["img-src 'self' data:", ...imageSources].join(" "),
        ...(script ? [scriptPolicy] : []),
        ...(frameTargets === undefined ? [] : [["frame-src 'self'", ...frameTargets].join(" ")]),
        ["form-action 'self'", ...formTargets].join(" "),
      ].join("; "),
    }),
    asset: Object.freeze({
      ...transport,
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    }),
  };
}
