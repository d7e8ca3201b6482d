import { readFile } from "node:fs/promises";
import type { SecureContextOptions, TlsOptions } from "node:tls";
import { cipherList } from "../net/tls-names.ts";

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

export async function readTlsOptions(tls: ListenerTls): Promise<TlsOptions> {
  const isRequested = tls.caFile !== undefined || tls.acceptsAnyClient === true;
  const clients = isRequested ? { requestCert: true, rejectUnauthorized: tls.acceptsAnyClient !== true } : {};
  return { ...(await readSecureContext(tls)), ...clients };
}
