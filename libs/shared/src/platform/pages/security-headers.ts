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

const policy = "default-src 'none'; style-src 'self'; base-uri 'none'";

export interface PolicyOptions {
  /** Sources, besides our own, to which the page's forms may lead. */
  readonly formTargets: readonly string[];
  /** Sources, besides our own, that its frames may load; undefined: it has no frames. */
  readonly frameTargets?: readonly string[] | undefined;
  /** Sources, besides our own, of its images. */
  readonly imageSources?: readonly string[] | undefined;
  /** Whether a page of the same origin shows it in a frame. */
  readonly isFramed?: boolean | undefined;
  /** Whether the page runs a script. */
  readonly script: boolean;
}

export type SecurityHeaders = ReturnType<typeof createSecurityHeaders>;

export function createSecurityHeaders(issuer: string) {
  const transport = issuer.startsWith("http://")
    ? {}
    : { "strict-transport-security": "max-age=31536000; includeSubDomains" };
  const base = Object.freeze({ ...common, ...transport, "content-type": "text/html; charset=utf-8" });
  return {
    page: ({
      formTargets,
      frameTargets,
      imageSources = [],
      isFramed = false,
      script,
    }: PolicyOptions): Readonly<Record<string, string>> => ({
      ...base,
      ...(isFramed ? { "x-frame-options": "SAMEORIGIN" } : {}),
      "content-security-policy": [
        `${policy}; frame-ancestors ${isFramed ? "'self'" : "'none'"}`,
        ["img-src 'self' data:", ...imageSources].join(" "),
        ...(script ? [scriptPolicy] : []),
        ...(frameTargets === undefined ? [] : [["frame-src 'self'", ...frameTargets].join(" ")]),
        ["form-action 'self'", ...formTargets].join(" "),
      ].join("; "),
    }),
    /** Headers of a file that never changes under its name. */
    asset: Object.freeze<Record<string, string>>({
      ...transport,
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    }),
  };
}
