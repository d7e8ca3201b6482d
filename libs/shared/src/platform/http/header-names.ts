/** `service` → `Service`, `mail-gate` → `Mail-Gate`: the spelling used in header names. */
function capitalised(identifier: string): string {
  return identifier
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("-");
}

/** `X-Service-`: prefix of session, memory cache and attribute headers (ADR 0021). */
export function headerPrefix(identifier: string): string {
  return `X-${capitalised(identifier)}-`;
}

/** The header with a request's session, on every response of gateway, admin and idp. */
export function sessionHeader(identifier: string): string {
  return `${headerPrefix(identifier)}Session`;
}
