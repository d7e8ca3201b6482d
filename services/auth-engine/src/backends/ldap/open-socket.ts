import { connect as connectTcp, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { readTlsFiles, type TlsSettings } from "../servers/server-settings.ts";
import type { ServerAddress } from "./server-uri.ts";
import { requestStartTls } from "./start-tls.ts";

export interface OpenSocketOptions {
  readonly tls: TlsSettings;
  readonly startTls: boolean;
  readonly connectTimeoutMs: number;
}

const keepAliveMs = 30_000;

/** Connects, with TLS if the address or the options require it, all within `connectTimeoutMs`. */
export async function openSocket(address: ServerAddress, options: OpenSocketOptions): Promise<Socket> {
  const tls = await readTlsOptions(address, options);
  const plain =
    address.kind === "unix"
      ? connectTcp({ path: address.path })
      : connectTcp({
          host: address.host,
          port: address.port,
          noDelay: true,
          keepAlive: true,
          keepAliveInitialDelay: keepAliveMs,
        });
  const timer = setTimeout(
    () => plain.destroy(new Error(`not connected within ${options.connectTimeoutMs} ms`)),
    options.connectTimeoutMs,
  );
  try {
    await opened(plain, "connect");
    if (tls === undefined) return plain;
    if (address.kind === "tcp") await requestStartTls(plain);
    const secured = connectTls({ ...tls, socket: plain });
    await opened(secured, "secureConnect");
    return secured;
  } catch (error) {
    plain.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Keeps the error listener: a socket may fail in the moment between two owners. */
function opened(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.once("close", () => reject(new Error("connection closed while it was opened")));
    socket.once(event, () => resolve());
  });
}

async function readTlsOptions(
  address: ServerAddress,
  { tls, startTls }: OpenSocketOptions,
): Promise<ConnectionOptions | undefined> {
  if (address.kind === "unix" || (address.kind === "tcp" && !startTls)) return undefined;
  const { host } = address;
  return { host, ...(isIP(host) === 0 ? { servername: host } : {}), ...(await readTlsFiles(tls)) };
}
