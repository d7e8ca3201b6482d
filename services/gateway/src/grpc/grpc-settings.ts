import type { Config } from "@postern/shared/config";

export interface GrpcTlsSettings {
  readonly certFile: string;
  readonly keyFile: string;
  /** Absent: clients are not asked for certificates. */
  readonly clientCaFile: string | undefined;
  readonly minVersion: "TLSv1.2" | "TLSv1.3";
}

export interface GrpcSettings {
  /** `host:port`, as gRPC takes it. */
  readonly address: string;
  /** Absent: plain text, which configuration allows on loopback only. */
  readonly tls: GrpcTlsSettings | undefined;
  readonly maxRequestBytes: number;
}

/** `runtime.servers.grpc.authority`; undefined while it is off. */
export function grpcSettings({ runtime }: Config): GrpcSettings | undefined {
  const { enabled, address, tls } = runtime.servers.grpc.authority;
  if (!enabled) return undefined;
  const maxRequestBytes = runtime.servers.http.max_body_bytes;
  if (!tls.enabled) return { address, tls: undefined, maxRequestBytes };
  return {
    address,
    tls: {
      certFile: tls.cert,
      keyFile: tls.key,
      clientCaFile: tls.require_client_cert ? tls.client_ca : undefined,
      minVersion: tls.min_tls_version === "TLS1.3" ? "TLSv1.3" : "TLSv1.2",
    },
    maxRequestBytes,
  };
}
