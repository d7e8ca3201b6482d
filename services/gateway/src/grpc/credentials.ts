import { readFile } from "node:fs/promises";
import { ServerCredentials } from "@grpc/grpc-js";
import { cipherList } from "@postern/shared/platform/net";
import type { GrpcTlsSettings } from "./grpc-settings.ts";

interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer | undefined;
  readonly tls: GrpcTlsSettings;
}

/** The library's `createSsl` does not accept a minimum TLS version. */
class ListenerCredentials extends ServerCredentials {
  constructor({ cert, key, ca, tls: { minVersion, cipherSuites, curves } }: TlsMaterial) {
    const names = { ciphers: cipherList(cipherSuites), ecdhCurve: curves.join(":") };
    const requiresClientCert = ca !== undefined;
    super(
      { requestCert: requiresClientCert, rejectUnauthorized: requiresClientCert, minVersion },
      { cert, key, minVersion, ...names, ...(requiresClientCert && { ca }) },
    );
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/** @throws if a file cannot be read: a listener without its certificate does not open. */
export async function listenerCredentials(tls: GrpcTlsSettings | undefined): Promise<ServerCredentials> {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const { certFile, keyFile, clientCaFile } = tls;
  // In order, so that the same files always cause the same error.
  const cert = await readFile(certFile);
  const key = await readFile(keyFile);
  const ca = clientCaFile === undefined ? undefined : await readFile(clientCaFile);
  return new ListenerCredentials({ cert, key, ca, tls });
}
