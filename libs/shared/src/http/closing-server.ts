import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsHttpServer } from "node:https";
import { Server as TcpServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { TlsOptions } from "node:tls";

export interface ClosingServerOptions {
  readonly handle: RequestListener;
  /** For a whole request to arrive. */
  readonly requestTimeoutMs: number;
  /** Absent for plain text. */
  readonly tls?: TlsOptions | undefined;
}

/** An HTTP server that stops without losing a request that a client may have sent. */
export interface ClosingServer {
  readonly server: Server | TlsHttpServer;
  /** Stops accepting, answers what arrives on open connections, and resolves when the last of them is gone. */
  close(): Promise<void>;
}

/** Longer than the idle time of common proxies, so that it is they who close: a request never meets a closing socket. */
const keepAliveTimeoutMs = 75_000;
const maxHeaderBytes = 32_768;
/** Node looks for late requests only this often; its own 30 s would make 40 of a `request_timeout` of 10. */
const longestCheckMs = 1000;
/**
 * A client that keeps its connection may be sending its next request while we close it as idle, and would lose it. So
 * what still comes is answered with `Connection: close`, and only connections that are quiet are closed by us.
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

export function createClosingServer(options: ClosingServerOptions): ClosingServer {
  const { handle, requestTimeoutMs: requestTimeout, tls } = options;
  let closing = false;
  const limits = {
    requestTimeout,
    headersTimeout: requestTimeout,
    connectionsCheckingInterval: Math.min(longestCheckMs, requestTimeout),
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
    IncomingMessage,
    ServerResponse: createResponseClass(() => closing),
  };
  const server = tls === undefined ? createServer(limits, handle) : createTlsServer({ ...limits, ...tls }, handle);
  return {
    server,
    close: async () => {
      closing = true;
      // Not the HTTP server's own `close`, which closes idle connections in the same moment.
      const closed = new Promise<void>((resolve) => {
        TcpServer.prototype.close.call(server, () => resolve());
      });
      await Promise.race([closed, delay(quietMs, undefined, { ref: false })]);
      server.closeIdleConnections();
      // An answer that went out before we began to close left its connection open.
      const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
      await closed;
      clearInterval(sweep);
    },
  };
}
