import type { CidrSet } from "./cidr-set.ts";
import { canonicalIp } from "./ip.ts";

export interface ForwardedAddresses {
  /** The address of the other end of the connection. */
  readonly peer: string;
  readonly forwardedFor?: string | undefined;
  readonly realIp?: string | undefined;
}

const maxHops = 32;

/**
 * Who is really calling: the contract's client-address trust rule. From a trusted peer, `X-Forwarded-For` is walked
 * from the right (each proxy appends what it saw; the left end is whatever the client wrote) to the first address that
 * is no trusted proxy; `X-Real-IP` stands in when there is no such header. Anything that is no address ends the walk at
 * the last hop that was one.
 */
export function resolveForwardedFor(from: ForwardedAddresses, trusted: CidrSet): string {
  const peer = canonicalIp(from.peer) ?? from.peer;
  if (!trusted.has(peer)) return peer;
  if (from.forwardedFor !== undefined && from.forwardedFor !== "")
    return walkFromTheRight(peer, from.forwardedFor, trusted);
  return canonicalIp(from.realIp ?? "") ?? peer;
}

function walkFromTheRight(peer: string, forwardedFor: string, trusted: CidrSet): string {
  let nearest = peer;
  const hops = forwardedFor.split(",").slice(-maxHops);
  for (const hop of hops.toReversed()) {
    const address = canonicalIp(withoutPort(hop.trim()));
    if (address === undefined) return nearest;
    if (!trusted.has(address)) return address;
    nearest = address;
  }
  return nearest;
}

function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop);
  if (bracketed !== null) return bracketed[1] ?? "";
  return /^[\d.]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop;
}
