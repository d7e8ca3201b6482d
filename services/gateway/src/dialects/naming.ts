/** Design decision 1: the word that stands for the product on the wire. */
export interface WireNames {
  /** `X-Service-`: what session, memory cache and attribute headers begin with. */
  readonly prefix: string;
  readonly session: string;
  readonly memoryCache: string;
}

/** `service` → `Service`, `mail-gate` → `Mail-Gate`: the spelling that header names have. */
function capitalised(identifier: string): string {
  return identifier
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("-");
}

export function wireNames(identifier: string): WireNames {
  const prefix = `X-${capitalised(identifier)}-`;
  return { prefix, session: `${prefix}Session`, memoryCache: `${prefix}Memory-Cache` };
}
