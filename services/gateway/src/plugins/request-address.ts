import type { IncomingHttpHeaders } from "node:http";
import type { Dialect } from "@postern/shared/contracts";
import { type CidrSet, callerBehind, type Peer, peerOf, readClientAddress } from "@postern/shared/platform/net";
import { decodePercents } from "../dialects/percent-decode.ts";
import type { ReportIgnoredAddress } from "../ignored-addresses.ts";
import type { ConnectionEnds, ProxiedConnections } from "../proxy-protocol/proxied-connections.ts";

/** The members of a request that determine addresses. */
export interface AddressedRequest {
  readonly raw: {
    readonly headers: IncomingHttpHeaders;
    readonly socket: ConnectionEnds;
  };
}

export interface ClientHeaderNames {
  readonly clientIp: string;
  readonly clientPort: string;
}

export interface ClientAddress {
  readonly clientIp: string;
  /** Empty if unknown. */
  readonly clientPort: string;
  /** No accepted header contains the client's address: the address is that of the API caller. */
  readonly clientIpIsPeer: boolean;
}

/** Settings that a reload may change. */
export interface TrustSettings {
  readonly trustedProxies: CidrSet;
  readonly clientHeaders: ClientHeaderNames;
}

export interface RequestAddresses {
  /** The API caller's address (docs/connect/README.md, "Client address"). */
  readonly callerAddress: (request: AddressedRequest) => string;
  /** Whether the peer is a trusted proxy, so that its headers are those of the proxy. A PROXY protocol header determines the peer. */
  readonly isFromTrustedProxy: (request: AddressedRequest) => boolean;
  /**
   * The mail user's address if the body does not name it. A trusted proxy may name it in the configured headers, and on all dialects except
   * `sasl` in `X-Forwarded-For` and `X-Real-IP`. On `basic` the caller is the user's own client, whose configured headers are ignored.
   * Ignored headers are reported.
   */
  readonly clientOf: (request: AddressedRequest, session: string, dialect: Dialect) => ClientAddress;
}

type Connection = AddressedRequest["raw"]["socket"];

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.join(",");
}

interface ConnectionPeer extends Peer {
  /** Empty if unknown. */
  readonly port: string;
}

/**
 * A connection's peer, or the one that the proxy's header named. It is determined once for each set of proxies, because a look-up in the set
 * costs more than the rest.
 */
function createPeers(sourceOf: ProxiedConnections["sourceOf"]) {
  const known = new WeakMap<Connection, { readonly peer: ConnectionPeer; readonly by: CidrSet }>();
  return (connection: Connection, trusted: CidrSet): ConnectionPeer => {
    const kept = known.get(connection);
    if (kept?.by === trusted) return kept.peer;
    const { remoteAddress, remotePort } = connection;
    const { host, port } = sourceOf(connection) ?? { host: remoteAddress ?? "", port: remotePort ?? "" };
    const peer = { ...peerOf(host, trusted), port: String(port) };
    // A disconnected client has no address.
    if (remoteAddress !== undefined) known.set(connection, { peer, by: trusted });
    return peer;
  };
}

/** @param sourceOf for listeners whose connections begin with a PROXY protocol header */
export function createRequestAddresses(
  live: () => TrustSettings,
  report: ReportIgnoredAddress,
  sourceOf: ProxiedConnections["sourceOf"] = () => undefined,
): RequestAddresses {
  const peerOfConnection = createPeers(sourceOf);
  const callerAddress = ({ raw: { headers, socket } }: AddressedRequest): string => {
    const { trustedProxies: trusted } = live();
    const forwarding = { forwardedFor: single(headers["x-forwarded-for"]), realIp: single(headers["x-real-ip"]) };
    return callerBehind(peerOfConnection(socket, trusted), forwarding, trusted);
  };
  const portOf = (request: AddressedRequest, address: string): string => {
    const peer = peerOfConnection(request.raw.socket, live().trustedProxies);
    return peer.address === address ? peer.port : "";
  };
  /** The client's own connection, and the proxies that it came through. */
  const byConnection = (request: AddressedRequest, dialect: Dialect): ClientAddress => {
    const clientIp = callerAddress(request);
    const { address, isTrusted } = peerOfConnection(request.raw.socket, live().trustedProxies);
    // A chain that consists only of trusted proxies contains no client.
    const isNamed = isTrusted && clientIp !== address && !live().trustedProxies.has(clientIp);
    const clientIpIsPeer = dialect !== "basic" && (dialect === "sasl" || !isNamed);
    return { clientIp, clientPort: portOf(request, clientIp), clientIpIsPeer };
  };
  const clientOf: RequestAddresses["clientOf"] = (request, session, dialect) => {
    const { headers, socket } = request.raw;
    const { trustedProxies, clientHeaders: names } = live();
    const headerValue = dialect === "basic" ? undefined : single(headers[names.clientIp]);
    if (headerValue === undefined || headerValue === "") return byConnection(request, dialect);
    if (!peerOfConnection(socket, trustedProxies).isTrusted) {
      report({ session, dialect, reason: "untrusted", value: headerValue });
      return byConnection(request, dialect);
    }
    const named = readClientAddress(decodePercents(headerValue) ?? "");
    if (named === undefined) {
      report({ session, dialect, reason: "unreadable", value: headerValue });
      return byConnection(request, dialect);
    }
    const clientPort = decodePercents(single(headers[names.clientPort]) ?? "") || named.port;
    return { clientIp: named.address, clientPort: clientPort ?? "", clientIpIsPeer: false };
  };
  const isFromTrustedProxy = (request: AddressedRequest): boolean =>
    peerOfConnection(request.raw.socket, live().trustedProxies).isTrusted;
  return { callerAddress, isFromTrustedProxy, clientOf };
}
