import { readFile } from "node:fs/promises";
import { ServerCredentials } from "@grpc/grpc-js";
import type { GrpcTlsSettings } from "./grpc-settings.ts";

interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer | undefined;
  readonly minVersion: GrpcTlsSettings["minVersion"];
}

/** The library's own `createSsl` takes no oldest version. */
class ListenerCredentials extends ServerCredentials {
  constructor({ cert, key, ca, minVersion }: TlsMaterial) {
    const asked = ca !== undefined;
    super(
      { requestCert: asked, rejectUnauthorized: asked, minVersion },
      { cert, key, minVersion, ...(asked && { ca }) },
    );
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/** @throws when a file cannot be read: a listener without its certificate does not open. */
export async function listenerCredentials(tls: GrpcTlsSettings | undefined): Promise<ServerCredentials> {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const { certFile, keyFile, clientCaFile, minVersion } = tls;
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  const ca = clientCaFile === undefined ? undefined : await readFile(clientCaFile);
  return new ListenerCredentials({ cert, key, ca, minVersion });
}
