import { createHash } from "node:crypto";

export interface MailBackend {
  readonly address: string;
  readonly port: number;
}

function weight(account: string, { address, port }: MailBackend): bigint {
  return createHash("sha256").update(`${account}\0${address}\0${port}`).digest().readBigUInt64BE();
}

/**
 * Rendezvous hashing: all gateways send an account to the same server, as servers with a shared store require, and when a server fails only
 * its accounts move. Undefined if there is no server.
 */
export function pickBackend(alive: readonly MailBackend[], account: string): MailBackend | undefined {
  let best: { readonly backend: MailBackend; readonly weight: bigint } | undefined;
  for (const backend of alive) {
    const own = weight(account.toLowerCase(), backend);
    if (best === undefined || own > best.weight) best = { backend, weight: own };
  }
  return best?.backend;
}
