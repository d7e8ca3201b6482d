import type { CidrSet } from "./cidr-set.ts";
import { readClientAddress } from "./client-address.ts";
import { canonicalIp } from "./ip.ts";

/** The other end of a connection, for the trusted-proxy rule. */
export interface Peer {
  readonly address: string;
  readonly isTrusted: boolean;
}

/** The headers that name the client address. */
export interface ForwardingHeaders {
  readonly forwardedFor?: string | undefined;
  readonly realIp?: string | undefined;
}

export interface ForwardedAddresses extends ForwardingHeaders {
  /** The address of the other end of the connection. */
  readonly peer: string;
}

const maxHops = 32;

/** Computed once per connection and set of trusted proxies. */
export function peerOf(remoteAddress: string, trusted: CidrSet): Peer {
  const address = canonicalIp(remoteAddress) ?? remoteAddress;
  return { address, isTrusted: trusted.has(address) };
}

/**
 * The client address, by the rule of docs/connect/README.md, "Client address". From a trusted peer, `X-Forwarded-For` is read from the
 * right (each proxy appends what it saw; the client can write anything at the left end) up to the first address that is not a trusted
 * proxy. `X-Real-IP` is used if that header is absent. A value that is not an address ends the search at the last valid hop.
 */
export function resolveForwardedFor({ peer, ...headers }: ForwardedAddresses, trusted: CidrSet): string {
  return callerBehind(peerOf(peer, trusted), headers, trusted);
}

/** Applies the rule of `resolveForwardedFor` to a known peer. */
export function callerBehind(
  { address, isTrusted }: Peer,
  { forwardedFor, realIp }: ForwardingHeaders,
  trusted: CidrSet,
): string {
  if (!isTrusted) return address;
  if (forwardedFor !== undefined && forwardedFor !== "") return walkFromTheRight(address, forwardedFor, trusted);
  return realIp === undefined ? address : (readClientAddress(realIp)?.address ?? address);
}

function walkFromTheRight(peer: string, forwardedFor: string, trusted: CidrSet): string {
  let nearest = peer;
  const hops = forwardedFor.split(",").slice(-maxHops);
  for (const hop of hops.toReversed()) {
    const address = readClientAddress(hop)?.address;
    if (address === undefined) return nearest;
    if (!trusted.has(address)) return address;
    nearest = address;
  }
  return nearest;
}
