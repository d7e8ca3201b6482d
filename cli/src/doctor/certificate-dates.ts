import type { X509Certificate } from "node:crypto";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";

const dayMs = 86_400_000;
/** Long enough for an operator to notice and renew it. */
const noticeDays = 21;

export interface Dated {
  readonly severity: "problem" | "warning";
  readonly words: string;
}

/** Undefined if the certificate is valid and will be for a while. */
export function judgeDates(from: Date, to: Date, now: number): Dated | undefined {
  if (now < from.getTime()) return { severity: "problem", words: `is not valid before ${from.toISOString()}` };
  const days = Math.floor((to.getTime() - now) / dayMs);
  if (now >= to.getTime()) return { severity: "problem", words: `expired on ${to.toISOString().slice(0, 10)}` };
  return days < noticeDays ? { severity: "warning", words: `expires in ${days} days` } : undefined;
}

/** Prepares an open connection for the TLS handshake, such as by StartTLS. */
export type Upgrade = (socket: Socket) => Promise<void>;

function opened(socket: Socket | TLSSocket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("connection closed")));
    socket.once(event, () => resolve());
  });
}

export interface TlsServer {
  readonly host: string;
  readonly port: number;
  readonly upgrade?: Upgrade | undefined;
}

/** The certificate that a server presents, whether it is trusted or not; the connection checks evaluate trust. */
export async function certificateOf(server: TlsServer, timeoutMs: number): Promise<X509Certificate | undefined> {
  const plain = connectTcp({ host: server.host, port: server.port });
  const timer = setTimeout(() => plain.destroy(new Error("no answer")), timeoutMs);
  try {
    await opened(plain, "connect");
    await server.upgrade?.(plain);
    const secured = connectTls({ socket: plain, servername: server.host, rejectUnauthorized: false });
    await opened(secured, "secureConnect");
    const certificate = secured.getPeerX509Certificate();
    secured.destroy();
    return certificate;
  } finally {
    clearTimeout(timer);
    plain.destroy();
  }
}
