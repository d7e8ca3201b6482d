import { readFile } from "node:fs/promises";
import type { Server } from "node:net";
import { type SecureContextOptions, type TlsOptions, Server as TlsServer } from "node:tls";
import type { Logger } from "../logging/logger.ts";
import type { HostPort } from "../net/host-port.ts";
import { cipherList } from "../net/tls-names.ts";
import { type ClosingServerOptions, createClosingServer } from "./closing-server.ts";

/** TLS of a listener (`runtime.servers.http.tls`). Paths name PEM files. */
export interface ListenerTls {
  readonly certFile: string;
  readonly keyFile: string;
  /**
   * CAs of client certificates: every client must present a certificate of one of them. If absent, no client certificate is requested.
   */
  readonly caFile: string | undefined;
  /** Whether clients without a certificate, or with one of another CA, may connect too. The handler decides about them. */
  readonly acceptsAnyClient?: boolean;
  readonly minVersion: "TLSv1.2" | "TLSv1.3";
  /** Cipher suites of TLS 1.2 by their IANA names. */
  readonly cipherSuites: readonly string[];
  /** Groups for the key exchange, in order of preference. */
  readonly curves: readonly string[];
}

/** The settings that a renewed certificate changes. */
export async function readSecureContext({
  certFile,
  keyFile,
  caFile,
  minVersion,
  cipherSuites,
  curves,
  acceptsAnyClient = false,
}: ListenerTls): Promise<SecureContextOptions> {
  // In order, so that the same files always cause the same error.
  const cert = await readFile(certFile);
  const key = await readFile(keyFile);
  const ca = caFile === undefined ? undefined : await readFile(caFile);
  const names = { ciphers: cipherList(cipherSuites), ecdhCurve: curves.join(":") };
  return {
    cert,
    key,
    minVersion,
    ...names,
    ...(ca === undefined ? undefined : { ca }),
    ...(acceptsAnyClient && { ca: ca ?? [] }),
  };
}

async function readTlsOptions(tls: ListenerTls): Promise<TlsOptions> {
  const isRequested = tls.caFile !== undefined || tls.acceptsAnyClient === true;
  const clients = isRequested ? { requestCert: true, rejectUnauthorized: tls.acceptsAnyClient !== true } : {};
  return { ...(await readSecureContext(tls)), ...clients };
}

export interface ListenersOptions extends Omit<ClosingServerOptions, "tls"> {
  readonly addresses: readonly HostPort[];
  /** A Unix socket on which it listens too. */
  readonly socketPath?: string | undefined;
  /** Absent for plain text. */
  readonly tls?: ListenerTls | undefined;
  readonly logger: Logger;
}

export type Listeners = Awaited<ReturnType<typeof openListeners>>;

/** Maximum size of the request line and headers that a client of the gateway may send. */
export const clientHeaderBytes = 32_768;
/** Maximum for the services behind the gateway: the client's, and what the gateway adds. */
export const ownerHeaderBytes = 49_152;

/** If the machine lacks one address family, the service still listens on the other. */
const familyMissing = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

async function listen(server: Server, address: HostPort | { readonly path: string }): Promise<void> {
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

/** Whether it listens; false if the address family is missing and another address may still work. */
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

export async function openListeners(options: ListenersOptions) {
  const { tls, socketPath } = options;
  const tlsOptions = tls === undefined ? undefined : await readTlsOptions(tls);
  const servers: ReturnType<typeof createClosingServer>[] = [];
  const sockets: ReturnType<typeof createClosingServer>[] = [];
  try {
    for (const address of options.addresses) {
      const closingServer = createClosingServer({ ...options, tls: tlsOptions });
      if (await tryListen(closingServer.server, address, options)) servers.push(closingServer);
    }
    if (socketPath !== undefined) {
      const closingServer = createClosingServer({ ...options, tls: undefined });
      await listen(closingServer.server, { path: socketPath });
      sockets.push(closingServer);
    }
  } catch (err) {
    for (const { server } of servers) server.close();
    throw err;
  }
  if (servers.length === 0) throw new Error("none of the configured listen addresses is available");
  /** The actual addresses; port 0 is replaced with the port that the system chose. */
  const bound: readonly HostPort[] = servers.map(({ server }) => boundAddress(server));
  return {
    addresses: bound,
    /** Stops accepting connections, answers requests on open ones, and resolves when the last connection is closed. */
    close: async (): Promise<void> => void (await Promise.all([...servers, ...sockets].map((one) => one.close()))),
    /** Reads certificate and key again; rejects if they cannot be used. The result puts them into use for new connections. */
    prepareCertificate: async (): Promise<() => void> => {
      if (tls === undefined) return () => undefined;
      const context = await readSecureContext(tls);
      return () => {
        for (const { server } of servers) if (server instanceof TlsServer) server.setSecureContext(context);
      };
    },
  };
}
