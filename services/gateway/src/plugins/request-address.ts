import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import { type CidrSet, callerBehind, canonicalIp, type Peer, peerOf } from "@postern/shared/net";
import { decodePercents } from "../dialects/percent-decode.ts";

/** What of a request tells addresses. */
export interface AddressedRequest {
  readonly raw: {
    readonly headers: IncomingHttpHeaders;
    readonly socket: Pick<Socket, "remoteAddress" | "remotePort">;
  };
}

export interface ClientHeaderNames {
  readonly clientIp: string;
  readonly clientPort: string;
}

export interface ClientAddress {
  readonly clientIp: string;
  readonly clientPort: string;
}

/** What a reload may change. */
export interface TrustSettings {
  readonly trustedProxies: CidrSet;
  readonly clientHeaders: ClientHeaderNames;
}

export interface RequestAddresses {
  /** The address of whoever calls us, by the contract's trust rule. */
  readonly callerOf: (request: AddressedRequest) => string;
  /**
   * The mail user's address where the body does not tell it: the configured headers, from a trusted peer only, else the
   * caller's own. A header that holds no address counts for nothing.
   */
  readonly clientOf: (request: AddressedRequest) => ClientAddress;
}

type Connection = AddressedRequest["raw"]["socket"];

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.join(",");
}

/** A connection's peer is looked at once for each set of proxies: a look into the set costs more than the rest. */
function createPeers(): (connection: Connection, trusted: CidrSet) => Peer {
  const known = new WeakMap<Connection, { readonly peer: Peer; readonly by: CidrSet }>();
  return (connection, trusted) => {
    const kept = known.get(connection);
    if (kept?.by === trusted) return kept.peer;
    const { remoteAddress } = connection;
    const peer = peerOf(remoteAddress ?? "", trusted);
    // A client that has left has no address.
    if (remoteAddress !== undefined) known.set(connection, { peer, by: trusted });
    return peer;
  };
}

export function createRequestAddresses(live: () => TrustSettings): RequestAddresses {
  const peerOfConnection = createPeers();
  const callerOf = ({ raw: { headers, socket } }: AddressedRequest): string => {
    const { trustedProxies: trusted } = live();
    const told = { forwardedFor: single(headers["x-forwarded-for"]), realIp: single(headers["x-real-ip"]) };
    return callerBehind(peerOfConnection(socket, trusted), told, trusted);
  };
  const clientOf = (request: AddressedRequest): ClientAddress => {
    const { headers, socket } = request.raw;
    const { trustedProxies, clientHeaders: names } = live();
    const own = { clientIp: callerOf(request), clientPort: String(socket.remotePort ?? "") };
    const told = single(headers[names.clientIp]);
    if (told === undefined || !peerOfConnection(socket, trustedProxies).isTrusted) return own;
    const clientIp = canonicalIp(decodePercents(told) ?? "");
    const clientPort = decodePercents(single(headers[names.clientPort]) ?? "") ?? "";
    return clientIp === undefined ? own : { clientIp, clientPort };
  };
  return { callerOf, clientOf };
}
