import type { Socket } from "node:net";
import { type CidrSet, type HostPort, peerOf } from "@postern/shared/platform/net";
import { maxHeaderBytes, readProxyHeader } from "./proxy-header.ts";

/**
 * Why a connection was closed: its peer is not a trusted proxy, it did not begin with a valid header, or the header did not arrive in time.
 */
export const rejectionReasons = ["untrusted", "malformed", "timeout"] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

/** The two ends of a TCP connection. A TLS socket reports those of the socket below it. */
export type ConnectionEnds = Pick<Socket, "remoteAddress" | "remotePort" | "localAddress" | "localPort">;

/** The connections of listeners that require a PROXY protocol header (`runtime.servers.http.haproxy_v2`). */
export interface ProxiedConnections {
  /** Reads the header of a new connection, and leaves the bytes behind it unread. Returns false if the connection must be closed. */
  readonly accept: (socket: Socket) => Promise<boolean>;
  /** The client's end, as the header named it. Undefined if it named none: then the peer is the client. */
  readonly sourceOf: (connection: ConnectionEnds) => HostPort | undefined;
}

export interface ProxiedConnectionsDeps {
  readonly trustedProxies: () => CidrSet;
  /** Time for the header to arrive, in milliseconds. */
  readonly timeoutMs: number;
  readonly rejected: (reason: RejectionReason, peer: string) => void;
}

type Reading = { readonly source?: HostPort } | RejectionReason;

/** Reads one header. Resolves to undefined if the peer closed the connection first. */
function readHeader(socket: Socket, timeoutMs: number): Promise<Reading | undefined> {
  return new Promise((resolve) => {
    let bytes: Buffer = Buffer.alloc(0);
    const settle = (reading: Reading | undefined): void => {
      clearTimeout(timer);
      socket.off("readable", read).off("close", closed).off("error", closed);
      resolve(reading);
    };
    const closed = (): void => settle(undefined);
    const read = (): void => {
      // An empty read also reports that the peer has ended its side.
      const chunk: unknown = socket.read();
      if (!Buffer.isBuffer(chunk)) {
        if (socket.readableEnded) closed();
        return;
      }
      bytes = Buffer.concat([bytes, chunk]);
      const header = readProxyHeader(bytes);
      if (header.kind === "incomplete" && bytes.length <= maxHeaderBytes) return;
      if (header.kind !== "complete") {
        settle("malformed");
        return;
      }
      if (bytes.length > header.length) socket.unshift(bytes.subarray(header.length));
      settle(header.source === undefined ? {} : { source: header.source });
    };
    const timer = setTimeout(settle, timeoutMs, "timeout");
    socket.on("readable", read).once("close", closed).once("error", closed);
  });
}

function keyOf({ remoteAddress, remotePort, localAddress, localPort }: ConnectionEnds): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

export function createProxiedConnections(deps: ProxiedConnectionsDeps): ProxiedConnections {
  const { trustedProxies, timeoutMs, rejected } = deps;
  const sources = new Map<string, HostPort>();
  return {
    accept: async (socket) => {
      const peer = peerOf(socket.remoteAddress ?? "", trustedProxies());
      if (!peer.isTrusted) {
        rejected("untrusted", peer.address);
        return false;
      }
      const key = keyOf(socket);
      const reading = await readHeader(socket, timeoutMs);
      if (reading === undefined || socket.destroyed) return false;
      if (typeof reading === "string") {
        rejected(reading, peer.address);
        return false;
      }
      if (reading.source !== undefined) {
        sources.set(key, reading.source);
        socket.once("close", () => sources.delete(key));
      }
      return true;
    },
    sourceOf: (connection) => sources.get(keyOf(connection)),
  };
}
