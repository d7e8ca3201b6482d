import type { IncomingHttpHeaders } from "node:http";
import type { Dialect } from "@postern/shared/contracts";
import { type Logger, printable } from "@postern/shared/platform/logging";
import { type CidrSet, callerBehind, peerOf, readClientAddress } from "@postern/shared/platform/net";
import type { Clock } from "@postern/shared/platform/time";
import { decodePercents } from "../http/percent-decode.ts";
import type { ConnectionEnds, ProxiedConnections } from "./proxied-connections.ts";
import { createQuietWarn } from "./quiet-log.ts";

/** `unreadable`: not an address. `untrusted`: the header came from a peer that is not a trusted proxy. */
export const ignoredAddressReasons = ["unreadable", "untrusted"] as const;
export type IgnoredAddressReason = (typeof ignoredAddressReasons)[number];

/** A client address in a request that was ignored for the decision. */
export interface IgnoredAddress {
  readonly session: string;
  readonly dialect: Dialect;
  readonly reason: IgnoredAddressReason;
  /** The text that the client sent. */
  readonly value: string;
}

const maxValueCharacters = 64;

const message = {
  unreadable: "client address is invalid and was ignored",
  untrusted: "client address from a caller that is not a trusted proxy was ignored",
} as const satisfies Record<IgnoredAddressReason, string>;

/**
 * Counts each ignored address, and logs a warning for the first of each dialect and reason in ten seconds, because a mail server that sends
 * such addresses sends one with every login.
 */
export function createReportIgnoredAddress(
  logger: Pick<Logger, "warn">,
  clock: Clock,
  counted: (dialect: Dialect, reason: IgnoredAddressReason) => void,
) {
  const warn = createQuietWarn(logger, clock);
  return ({ session, dialect, reason, value }: IgnoredAddress): void => {
    counted(dialect, reason);
    const fields = () => ({ session, dialect, reason, value: printable(value, maxValueCharacters) });
    warn(`${dialect} ${reason}`, fields, message[reason]);
  };
}

export type ReportIgnoredAddress = ReturnType<typeof createReportIgnoredAddress>;

/** The members of a request that determine addresses. */
export type AddressedRequest = {
  readonly raw: { readonly headers: IncomingHttpHeaders; readonly socket: ConnectionEnds };
};

/** Settings that a reload may change. Names of headers are in lower case. */
export interface TrustSettings {
  readonly trustedProxies: CidrSet;
  readonly clientHeaders: { readonly clientIp: string; readonly clientPort: string };
}

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.join(",");
}

/** The peer at the other end of a connection; its port is empty if unknown. */
function readPeer(connection: ConnectionEnds, trusted: CidrSet, sourceOf: ProxiedConnections["sourceOf"]) {
  const { remoteAddress, remotePort } = connection;
  const { host, port } = sourceOf(connection) ?? { host: remoteAddress ?? "", port: remotePort ?? "" };
  return { ...peerOf(host, trusted), port: String(port) };
}

/**
 * A connection's peer, or the one that the proxy's header named. It is determined once for each set of proxies, because a look-up in the set
 * costs more than the rest.
 */
function createPeers(sourceOf: ProxiedConnections["sourceOf"]) {
  const known = new WeakMap<
    ConnectionEnds,
    { readonly peer: ReturnType<typeof readPeer>; readonly trusted: CidrSet }
  >();
  return (connection: ConnectionEnds, trusted: CidrSet) => {
    const kept = known.get(connection);
    if (kept?.trusted === trusted) return kept.peer;
    const peer = readPeer(connection, trusted, sourceOf);
    // A disconnected client has no address.
    if (connection.remoteAddress !== undefined) known.set(connection, { peer, trusted });
    return peer;
  };
}

/** @param sourceOf for listeners whose connections begin with a PROXY protocol header */
export function createRequestAddresses(
  live: () => TrustSettings,
  report: ReportIgnoredAddress,
  sourceOf: ProxiedConnections["sourceOf"] = () => undefined,
) {
  const peerOfConnection = createPeers(sourceOf);
  /** The API caller's address (docs/connect/README.md, "Client address"). */
  const callerAddress = ({ raw: { headers, socket } }: AddressedRequest): string => {
    const { trustedProxies: trusted } = live();
    const forwarding = { forwardedFor: single(headers["x-forwarded-for"]), realIp: single(headers["x-real-ip"]) };
    return callerBehind(peerOfConnection(socket, trusted), forwarding, trusted);
  };
  /** The client's own connection, and the proxies that it came through. */
  const byConnection = (request: AddressedRequest, dialect: Dialect) => {
    const { trustedProxies } = live();
    const clientIp = callerAddress(request);
    const { address, port, isTrusted } = peerOfConnection(request.raw.socket, trustedProxies);
    // A chain that consists only of trusted proxies contains no client.
    const isNamed = isTrusted && clientIp !== address && !trustedProxies.has(clientIp);
    const clientIpIsPeer = dialect !== "basic" && (dialect === "sasl" || !isNamed);
    return { clientIp, clientPort: address === clientIp ? port : "", clientIpIsPeer };
  };
  return {
    callerAddress,
    /** Whether the peer is a trusted proxy, so that its headers are those of the proxy. A PROXY protocol header determines the peer. */
    isFromTrustedProxy: (request: AddressedRequest): boolean =>
      peerOfConnection(request.raw.socket, live().trustedProxies).isTrusted,
    /**
     * The mail user's address if the body does not name it. A trusted proxy may name it in the configured headers, and on all dialects
     * except `sasl` in `X-Forwarded-For` and `X-Real-IP`. On `basic` the caller is the user's own client, whose configured headers are
     * ignored. Ignored headers are reported. The port is empty if unknown; `clientIpIsPeer`: no accepted header contains the client's
     * address, and the address is that of the API caller.
     */
    clientOf: (request: AddressedRequest, session: string, dialect: Dialect) => {
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
    },
  };
}
