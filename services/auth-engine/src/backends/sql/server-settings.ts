import type { Secret } from "@postern/shared/platform/crypto";
import type { BreakerSettings } from "../servers/circuit-breaker.ts";
import type { ServerAddress } from "../servers/target.ts";

export interface SqlServerAddress extends ServerAddress {
  readonly host: string;
  readonly port: number;
}

export interface SqlTlsSettings {
  readonly enabled: boolean;
  readonly caCertFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly skipVerify: boolean;
}

/** A set of equal servers: a primary with its standbys behind one account. */
export interface SqlServerSettings {
  readonly servers: readonly SqlServerAddress[];
  readonly database: string;
  readonly user: string;
  readonly password: Secret;
  readonly tls: SqlTlsSettings;
  readonly poolSize: number;
  readonly queueLength: number;
  readonly connectTimeoutMs: number;
  readonly queryTimeoutMs: number;
  readonly breaker: BreakerSettings;
  readonly healthCheckIntervalMs: number;
}
