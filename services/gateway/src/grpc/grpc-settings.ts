import type { Config } from "@postern/shared/platform/config";
import { recommendedGroups, recommendedSuites } from "@postern/shared/platform/net";

export interface GrpcTlsSettings {
  readonly certFile: string;
  readonly keyFile: string;
  /** Absent: no client certificates are requested. */
  readonly clientCaFile: string | undefined;
  readonly minVersion: "TLSv1.2" | "TLSv1.3";
  /** As HTTP listeners have them by default (RFC 9325). */
  readonly cipherSuites: readonly string[];
  readonly curves: readonly string[];
}

export interface GrpcSettings {
  /** `host:port`, in gRPC's format. */
  readonly address: string;
  /** Absent: plain text, which the configuration allows on loopback only. */
  readonly tls: GrpcTlsSettings | undefined;
  readonly maxRequestBytes: number;
}

/** `runtime.servers.grpc.authority`; undefined if it is disabled. */
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
      cipherSuites: recommendedSuites,
      curves: recommendedGroups,
    },
    maxRequestBytes,
  };
}
