import { readFile } from "node:fs/promises";
import type { SecureContextOptions, TlsOptions } from "node:tls";

/** TLS of a listener (`runtime.servers.http.tls`). Paths name PEM files. */
export interface ListenerTls {
  readonly certFile: string;
  readonly keyFile: string;
  /**
   * CAs of client certificates: every client must present a certificate of one of them. If absent, no client certificate is requested.
   */
  readonly caFile: string | undefined;
  readonly minVersion: "TLSv1.2" | "TLSv1.3";
}

/** The settings that a renewed certificate changes. */
export async function readSecureContext({
  certFile,
  keyFile,
  caFile,
  minVersion,
}: ListenerTls): Promise<SecureContextOptions> {
  const [cert, key, ca] = await Promise.all([
    readFile(certFile),
    readFile(keyFile),
    caFile === undefined ? undefined : readFile(caFile),
  ]);
  return { cert, key, minVersion, ...(ca === undefined ? undefined : { ca }) };
}

export async function readTlsOptions(tls: ListenerTls): Promise<TlsOptions> {
  const clients = tls.caFile === undefined ? {} : { requestCert: true, rejectUnauthorized: true };
  return { ...(await readSecureContext(tls)), ...clients };
}
