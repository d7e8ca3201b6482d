import { connect as connectTcp, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { BerReader } from "ldapts";
import { readTlsFiles, type TlsSettings } from "../servers/server-settings.ts";
import type { ServerAddress } from "./server-uri.ts";

/** ExtendedRequest 1.3.6.1.4.1.1466.20037 as message 1 (RFC 4511 section 4.14.1). */
const request = Buffer.concat([
  Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16]),
  Buffer.from("1.3.6.1.4.1.1466.20037"),
]);
const extendedResponse = 0x78;
const maxResponseBytes = 4096;

/**
 * Requests TLS on an open plain connection; the caller then starts the handshake on the same socket. Implemented here
 * because ldapts has no time limit for the handshake and does not notice the end of an upgraded connection. Bytes after
 * the response are refused, because they would be plain text mistaken for protected text. The caller limits the time by
 * destroying the socket.
 */
export function requestStartTls(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const settle = (error?: Error): void => {
      socket.off("data", onData).off("close", onClose).pause();
      if (error === undefined) resolve();
      else reject(error);
    };
    const onClose = (): void => settle(new Error("connection closed before the StartTLS response"));
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      try {
        if (isAccepted(received)) settle();
      } catch (error) {
        settle(error instanceof Error ? error : new Error("unreadable StartTLS response", { cause: error }));
      }
    };
    socket.on("data", onData).on("close", onClose);
    socket.write(request);
  });
}

/** False if the response is not yet complete; throws if the server refuses. */
function isAccepted(bytes: Buffer): boolean {
  const reader = new BerReader(bytes);
  if (reader.readSequence() === null || reader.remain < reader.length) {
    if (bytes.length > maxResponseBytes) throw new Error("StartTLS response too long");
    return false;
  }
  if (reader.remain > reader.length) throw new Error("data after the StartTLS response");
  reader.readInt();
  if (reader.readSequence() !== extendedResponse) throw new Error("no StartTLS response");
  const code = reader.readEnumeration();
  if (code !== 0) throw new Error(`StartTLS refused, LDAP code ${code}`);
  return true;
}

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
