import { type Config, redactConfig } from "@postern/shared/config";
import { Secret } from "@postern/shared/crypto";
import { type HostPort, parseHostPort } from "@postern/shared/net";
import type { ConfigLoadSettings } from "./routes/config/get-load.ts";

export interface AdminSettings {
  readonly address: HostPort;
  readonly privateAddress: string;
  readonly assertionSecret: Secret;
  readonly identifier: string;
  readonly requestTimeoutMs: number;
  readonly maxBodyBytes: number;
}

/** What a reload swaps, as a whole. */
export interface LiveAdminSettings {
  readonly configLoad: ConfigLoadSettings;
}

export function adminSettings({ runtime }: Config): AdminSettings {
  const { admin, caller_assertion } = runtime.services;
  const address = parseHostPort(admin.address);
  if (address === undefined) throw new RangeError(`runtime.services.admin.address: ${admin.address}`);
  return {
    address,
    privateAddress: admin.private_address,
    assertionSecret: new Secret(caller_assertion.secret),
    identifier: runtime.naming.identifier,
    requestTimeoutMs: runtime.servers.http.request_timeout,
    maxBodyBytes: runtime.servers.http.max_body_bytes,
  };
}

export function liveAdminSettings(config: Config): LiveAdminSettings {
  const { servers } = config.runtime;
  return {
    configLoad: {
      disabled: servers.http.disabled_endpoints.configuration,
      redactedJson: JSON.stringify(redactConfig(config)),
    },
  };
}
