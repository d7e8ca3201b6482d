import type { CidrSet } from "./cidr-set.ts";
import { canonicalIp } from "./ip.ts";

/** A client as named by a mail server or proxy. */
export interface NamedClient {
  /** In canonical form. */
  readonly address: string;
  readonly port?: string;
}

const bracketed = /^\[([^[\]]*)\](?::(\d{1,5}))?$/;
const ipv4WithPort = /^([\d.]+):(\d{1,5})$/;
const maxPort = 65_535;

function addressOf(host: string): string | undefined {
  const address = canonicalIp(host);
  // RFC 6890: neither is ever the source of a packet. Software writes them where it knows no address.
  return address === "0.0.0.0" || address === "::" ? undefined : address;
}

/**
 * Parses `192.0.2.1`, `192.0.2.1:51234`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:51234`. A mapped IPv4 address becomes the IPv4
 * address; a zone id is removed, because its sender could choose it freely. Returns undefined for anything else: host names, lists,
 * `unknown`, `-`, the unspecified addresses. Without brackets, the last group of an IPv6 address cannot be distinguished from a port and is
 * read as part of the address.
 */
export function readClientAddress(text: string): NamedClient | undefined {
  const trimmed = text.trim();
  const withPort = trimmed.includes(":") ? (bracketed.exec(trimmed) ?? ipv4WithPort.exec(trimmed)) : null;
  const [, host = trimmed, port] = withPort ?? [];
  // Brackets are only valid around IPv6 addresses; those that `bracketed` did not remove are invalid.
  if (trimmed.startsWith("[") && (withPort === null || !host.includes(":"))) return undefined;
  const address = addressOf(host);
  if (address === undefined || Number(port ?? 0) > maxPort) return undefined;
  return port === undefined ? { address } : { address, port: String(Number(port)) };
}

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
