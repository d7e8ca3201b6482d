import type { Socket } from "node:net";
import type { Logger } from "@postern/shared/platform/logging";
import { type CidrSet, type HostPort, peerOf } from "@postern/shared/platform/net";
import { systemClock } from "@postern/shared/platform/time";
import { maxHeaderBytes, readProxyHeader } from "./proxy-header.ts";
import { createQuietWarn } from "./quiet-log.ts";

/** Why a connection was closed, with the text for the log. */
const rejections = {
  untrusted: "connection from a peer that is not a trusted proxy was closed",
  malformed: "connection without a valid PROXY protocol header was closed",
  timeout: "connection whose PROXY protocol header did not arrive in time was closed",
} as const;
export type RejectedConnection = keyof typeof rejections;
export const rejectedConnections = ["untrusted", "malformed", "timeout"] as const satisfies RejectedConnection[];

/** The two ends of a TCP connection. A TLS socket reports those of the socket below it. */
export type ConnectionEnds = Pick<Socket, "remoteAddress" | "remotePort" | "localAddress" | "localPort">;

type Reading = { readonly source?: HostPort } | RejectedConnection;

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

/** A proxy sends the header immediately; a lost packet takes a few seconds to arrive. */
const maxHeaderWaitMs = 5000;

/** The connections of listeners that require a PROXY protocol header (`runtime.servers.http.haproxy_v2`). */
export function createProxiedConnections(
  trustedProxies: () => CidrSet,
  requestTimeoutMs: number,
  logger: Pick<Logger, "warn">,
  counted: (reason: RejectedConnection) => void,
) {
  const sources = new Map<string, HostPort>();
  const warn = createQuietWarn(logger, systemClock);
  const timeoutMs = Math.min(maxHeaderWaitMs, requestTimeoutMs);
  const rejected = (reason: RejectedConnection, peer: string): false => {
    counted(reason);
    warn(reason, () => ({ peer }), rejections[reason]);
    return false;
  };
  return {
    /** Reads the header of a new connection, and leaves the bytes behind it unread. Returns false if the connection must be closed. */
    accept: async (socket: Socket): Promise<boolean> => {
      const { address, isTrusted } = peerOf(socket.remoteAddress ?? "", trustedProxies());
      if (!isTrusted) return rejected("untrusted", address);
      const key = keyOf(socket);
      const reading = await readHeader(socket, timeoutMs);
      if (reading === undefined || socket.destroyed) return false;
      if (typeof reading === "string") return rejected(reading, address);
      if (reading.source !== undefined) {
        sources.set(key, reading.source);
        socket.once("close", () => sources.delete(key));
      }
      return true;
    },
    /** The client's end, as the header named it. Undefined if it named none: then the peer is the client. */
    sourceOf: (connection: ConnectionEnds): HostPort | undefined => sources.get(keyOf(connection)),
  };
}

export type ProxiedConnections = ReturnType<typeof createProxiedConnections>;
