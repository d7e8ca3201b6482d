import { createServer, type RequestListener, type Server } from "node:http";
import type { Logger } from "../logging/logger.ts";
import type { HostPort } from "../net/host-port.ts";

export interface ListenersOptions {
  readonly addresses: readonly HostPort[];
  readonly handle: RequestListener;
  readonly requestTimeoutMs: number;
  readonly logger: Logger;
}

export interface Listeners {
  /** Where it really listens: a port 0 became one. */
  readonly addresses: readonly HostPort[];
  /** Stops accepting, lets answers under way go out, and resolves when the last connection is gone. */
  close(): Promise<void>;
  closeNow(): void;
}

/** An address family that the machine does not have is no reason not to serve the other one. */
const familyMissing = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

async function listen(server: Server, address: HostPort): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

function boundAddress(server: Server): HostPort {
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("no TCP address");
  return { host: bound.address, port: bound.port };
}

/**
 * A client that keeps connections open may be sending its next request while we close an idle one, and would lose it.
 * So what still arrives is answered, with `Connection: close`; only connections on which nothing came for this long
 * are closed from our side.
 */
const quietMs = 200;

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  await Promise.race([closed, delay(quietMs, undefined, { ref: false })]);
  server.closeIdleConnections();
  // A connection that was busy a moment ago turns idle without the server closing it.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await closed;
  clearInterval(sweep);
}

/** Longer than the idle time of common proxies, so that it is they who close: a request never meets a closing socket. */
const keepAliveTimeoutMs = 75_000;
const maxHeaderBytes = 32_768;

function createHttpServer({ requestTimeoutMs: requestTimeout, handle }: ListenersOptions): Server {
  const timeouts = { requestTimeout, headersTimeout: requestTimeout, keepAliveTimeout: keepAliveTimeoutMs };
  return createServer({ ...timeouts, maxHeaderSize: maxHeaderBytes }, handle);
}

/** Whether it listens now; false where the address family is missing and another address may serve. */
async function tryListen(server: Server, address: HostPort, options: ListenersOptions): Promise<boolean> {
  try {
    await listen(server, address);
    return true;
  } catch (err) {
    if (options.addresses.length === 1 || !familyMissing.has(errorCode(err))) throw err;
    options.logger.warn({ host: address.host, port: address.port }, "this machine does not have this address");
    return false;
  }
}

export async function openListeners(options: ListenersOptions): Promise<Listeners> {
  const servers: Server[] = [];
  try {
    for (const address of options.addresses) {
      const server = createHttpServer(options);
      if (await tryListen(server, address, options)) servers.push(server);
    }
  } catch (err) {
    for (const opened of servers) opened.close();
    throw err;
  }
  if (servers.length === 0) throw new Error("none of the addresses to listen on is there");
  return {
    addresses: servers.map(boundAddress),
    close: async () => void (await Promise.all(servers.map(close))),
    closeNow: () => {
      for (const server of servers) server.closeAllConnections();
    },
  };
}
