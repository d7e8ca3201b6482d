/** What every page says, whatever it shows. */
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

const policy = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

export interface PolicyOptions {
  /** Sources beside our own to which the page's forms may lead. */
  readonly formTargets: readonly string[];
  /** Sources beside our own to which its frames may lead; undefined: it has no frames. */
  readonly frameTargets?: readonly string[] | undefined;
  /** Whether the page runs our script. */
  readonly script: boolean;
}

export interface SecurityHeaders {
  page(options: PolicyOptions): Readonly<Record<string, string>>;
  /** Of a file that never changes under its name. */
  readonly asset: Readonly<Record<string, string>>;
}

/**
 * The source by which a CSP allows a form to lead to this address: browsers apply `form-action` to the redirects after
 * a form, so the way back to the application must be named. Undefined for what is no address.
 */
export function formTargetOf(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  if (url === null || !/^[a-z][a-z0-9+.-]*:$/.test(url.protocol)) return undefined;
  if (url.protocol !== "http:" && url.protocol !== "https:") return url.protocol;
  // CSP knows no host in brackets (CSP 3 §2.3.1): an IPv6 loopback is allowed by its scheme.
  return url.hostname.startsWith("[") ? url.protocol : url.origin;
}

export function createSecurityHeaders(issuer: string): SecurityHeaders {
  const transport = issuer.startsWith("http://")
    ? {}
    : { "strict-transport-security": "max-age=31536000; includeSubDomains" };
  const base = Object.freeze({ ...common, ...transport, "content-type": "text/html; charset=utf-8" });
  return {
    page: ({ formTargets, frameTargets, script }) => ({
      ...base,
      "content-security-policy": [
        policy,
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
