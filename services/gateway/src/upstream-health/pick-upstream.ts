import { createHash } from "node:crypto";

/** A mail server to which the proxy dialect directs a session. */
export interface Upstream {
  readonly address: string;
  readonly port: number;
}

function weight(account: string, { address, port }: Upstream): bigint {
  return createHash("sha256").update(`${account}\0${address}\0${port}`).digest().readBigUInt64BE();
}

/**
 * Rendezvous hashing: all gateways send an account to the same server, as servers with a shared store require, and when a server fails only
 * its accounts move. Undefined if there is no server.
 */
export function pickUpstream(alive: readonly Upstream[], account: string): Upstream | undefined {
  let best: { readonly upstream: Upstream; readonly weight: bigint } | undefined;
  for (const upstream of alive) {
    const own = weight(account.toLowerCase(), upstream);
    if (best === undefined || own > best.weight) best = { upstream, weight: own };
  }
  return best?.upstream;
}
