import type { RequestListener } from "node:http";
import type { Server } from "node:net";
import { Server as TlsServer } from "node:tls";
import type { Logger } from "../logging/logger.ts";
import type { HostPort } from "../net/host-port.ts";
import { type ClosingServer, createClosingServer } from "./closing-server.ts";
import { type ListenerTls, readSecureContext, readTlsOptions } from "./listener-tls.ts";

export interface ListenersOptions {
  readonly addresses: readonly HostPort[];
  readonly handle: RequestListener;
  readonly requestTimeoutMs: number;
  /** Absent for plain text. */
  readonly tls?: ListenerTls | undefined;
  readonly logger: Logger;
}

export interface Listeners {
  /** Where it really listens: a port 0 became one. */
  readonly addresses: readonly HostPort[];
  /** Stops accepting, answers what arrives on open connections, and resolves when the last of them is gone. */
  close(): Promise<void>;
  /** Reads certificate and key again, for connections from now on; rejects, and changes nothing, when they cannot be used. */
  renewCertificate(): Promise<void>;
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
  const { handle, requestTimeoutMs, tls } = options;
  const tlsOptions = tls === undefined ? undefined : await readTlsOptions(tls);
  const servers: ClosingServer[] = [];
  try {
    for (const address of options.addresses) {
      const made = createClosingServer({ handle, requestTimeoutMs, tls: tlsOptions });
      if (await tryListen(made.server, address, options)) servers.push(made);
    }
  } catch (err) {
    for (const { server } of servers) server.close();
    throw err;
  }
  if (servers.length === 0) throw new Error("none of the addresses to listen on is there");
  return {
    addresses: servers.map(({ server }) => boundAddress(server)),
    close: async () => void (await Promise.all(servers.map((one) => one.close()))),
    renewCertificate: async () => {
      if (tls === undefined) return;
      const context = await readSecureContext(tls);
      for (const { server } of servers) if (server instanceof TlsServer) server.setSecureContext(context);
    },
  };
}
