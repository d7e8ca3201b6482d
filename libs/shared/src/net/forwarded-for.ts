import type { CidrSet } from "./cidr-set.ts";
import { canonicalIp } from "./ip.ts";

/** The other end of a connection, as the trust rule sees it. */
export interface Peer {
  readonly address: string;
  readonly isTrusted: boolean;
}

/** What a request's headers tell of the way it came. */
export interface ToldAddresses {
  readonly forwardedFor?: string | undefined;
  readonly realIp?: string | undefined;
}

export interface ForwardedAddresses extends ToldAddresses {
  /** The address of the other end of the connection. */
  readonly peer: string;
}

const maxHops = 32;

/** The same for all requests of a connection, until the set is another. */
export function peerOf(remoteAddress: string, trusted: CidrSet): Peer {
  const address = canonicalIp(remoteAddress) ?? remoteAddress;
  return { address, isTrusted: trusted.has(address) };
}

/**
 * Who is really calling: the contract's client-address trust rule. From a trusted peer, `X-Forwarded-For` is walked
 * from the right (each proxy appends what it saw; the left end is whatever the client wrote) to the first address that
 * is no trusted proxy; `X-Real-IP` stands in when there is no such header. Anything that is no address ends the walk at
 * the last hop that was one.
 */
export function resolveForwardedFor({ peer, ...told }: ForwardedAddresses, trusted: CidrSet): string {
  return callerBehind(peerOf(peer, trusted), told, trusted);
}

/** The same rule for a peer that is known. */
export function callerBehind(
  { address, isTrusted }: Peer,
  { forwardedFor, realIp }: ToldAddresses,
  trusted: CidrSet,
): string {
  if (!isTrusted) return address;
  if (forwardedFor !== undefined && forwardedFor !== "") return walkFromTheRight(address, forwardedFor, trusted);
  return realIp === undefined ? address : (canonicalIp(realIp) ?? address);
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
