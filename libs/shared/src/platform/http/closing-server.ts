import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type Socket, Server as TcpServer } from "node:net";
import type { TlsOptions } from "node:tls";
import { endsWithin } from "../concurrency/deadline.ts";
import { refuseTunnels, withOriginForm } from "./request-target.ts";
import { answerUnreadable } from "./unreadable-request.ts";

/** Time for a client to finish its upload after the answer. */
const longestMs = 2000;

/** Reads on after the answer, until the body ends or the client hangs up. */
function linger(socket: Socket, upload: IncomingMessage): void {
  const timer = setTimeout(() => socket.destroy(), longestMs);
  socket.once("close", () => clearTimeout(timer));
  upload.once("end", () => socket.destroy());
  upload.resume();
  socket.end();
}

/**
 * Closes connections in order although their clients are still sending (RFC 9112 §9.6). A connection that is closed while bytes arrive unread is
 * reset, and the client's machine then discards the answer: the client would see a broken connection in place of 413.
 */
function lingerOnClose(server: Pick<Server, "prependListener">): void {
  const latest = new WeakMap<Socket, IncomingMessage>();
  server.prependListener("request", (request: IncomingMessage) => {
    const { socket } = request;
    const isKnown = latest.has(socket);
    latest.set(socket, request);
    if (isKnown) return;
    const close = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const upload = latest.get(socket);
      if (upload === undefined || upload.complete || socket.destroyed) close();
      else linger(socket, upload);
    };
  });
}

export interface ClosingServerOptions {
  readonly handle: RequestListener;
  /** `runtime.naming.identifier`, used in the name of the session header. */
  readonly identifier: string;
  /** Maximum size of the request line and headers together; `clientHeaderBytes` on listeners for clients. */
  readonly maxHeaderBytes: number;
  /** Time for a complete request to arrive. */
  readonly requestTimeoutMs: number;
  /** Absent for plain text. */
  readonly tls?: TlsOptions | undefined;
  /** Sees each new connection before the HTTP server or TLS reads from it. The server closes the connection if it returns false. */
  readonly accept?: ((socket: Socket) => Promise<boolean>) | undefined;
}

/**
 * Longer than the idle timeout of common proxies, so that the proxy closes idle connections and no request reaches a socket that is being
 * closed.
 */
const keepAliveTimeoutMs = 75_000;
/**
 * The interval at which Node looks for late requests. Its default of 30 s would turn a `request_timeout` of 10 s into 40 s.
 */
const longestCheckMs = 1000;
/**
 * A client that keeps its connection may be sending its next request while we close it as idle, and would lose it. Requests that still
 * arrive are answered with `Connection: close`, and the server closes only quiet connections.
 */
const quietMs = 200;
const sweepMs = 50;

type HeadersOfHead = Parameters<ServerResponse["writeHead"]>[1];

function createResponseClass(isClosing: () => boolean) {
  return class extends ServerResponse {
    override writeHead(status: number, reasonOrHeaders?: string | HeadersOfHead, headers?: HeadersOfHead): this {
      if (isClosing()) this.shouldKeepAlive = false;
      return typeof reasonOrHeaders === "string"
        ? super.writeHead(status, reasonOrHeaders, headers)
        : super.writeHead(status, reasonOrHeaders);
    }
  };
}

/** Puts `accept` before the listeners that read from new connections. */
function screenConnections(server: TcpServer, accept: (socket: Socket) => Promise<boolean>): void {
  const readers = server.listeners("connection");
  server.removeAllListeners("connection");
  const admit = (socket: Socket, isAccepted: boolean): void => {
    if (!isAccepted) socket.destroy();
    else for (const reader of readers) Reflect.apply(reader, server, [socket]);
  };
  server.on("connection", (socket) => {
    accept(socket).then(
      (isAccepted) => admit(socket, isAccepted),
      () => admit(socket, false),
    );
  });
}

/** An HTTP server that stops without losing requests that clients may already have sent. */
export function createClosingServer(options: ClosingServerOptions) {
  const { requestTimeoutMs: requestTimeout, tls, identifier, maxHeaderBytes: maxHeaderSize, accept } = options;
  const handle = withOriginForm(options.handle, identifier);
  let closing = false;
  const limits = {
    requestTimeout,
    headersTimeout: requestTimeout,
    connectionsCheckingInterval: Math.min(longestCheckMs, requestTimeout),
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize,
    IncomingMessage,
    ServerResponse: createResponseClass(() => closing),
  };
  const server = tls === undefined ? createServer(limits, handle) : createTlsServer({ ...limits, ...tls }, handle);
  lingerOnClose(server);
  refuseTunnels(server, identifier);
  if (accept !== undefined) screenConnections(server, accept);
  server.on("clientError", (error, socket) => answerUnreadable(error, socket, identifier));
  return {
    server,
    /** Stops accepting connections, answers requests on open ones, and resolves when the last connection is closed. */
    close: async (): Promise<void> => {
      closing = true;
      // The HTTP server's own `close` would close idle connections immediately.
      const closed = new Promise<void>((resolve) => {
        TcpServer.prototype.close.call(server, () => resolve());
      });
      await endsWithin(closed, quietMs, { ref: false });
      server.closeIdleConnections();
      // Answers that were sent before the shutdown began have left their connections open.
      const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
      await closed;
      clearInterval(sweep);
    },
  };
}
