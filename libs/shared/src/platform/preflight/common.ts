import type { Config } from "../config/index.ts";
import type { PreflightCheck } from "./run-checks.ts";
import { addedRootsCheck, readableFile, tlsCheck } from "./tls.ts";

const redisRoles = ["state", "queue", "cache"] as const;
const tlsKeys = { ca: "ca_file", cert: "cert" };

function redisChecks({ storage }: Config): readonly PreflightCheck[] {
  return redisRoles.flatMap((role) => {
    const { tls, url } = storage.redis.roles[role];
    if (!tls.enabled && !url.startsWith("rediss://")) return [];
    const files = { ca: tls.ca_file, cert: tls.cert, key: tls.key };
    return tlsCheck(`storage.redis.roles.${role}.tls`, files, tlsKeys);
  });
}

function tracingChecks({ observability: { tracing } }: Config): readonly PreflightCheck[] {
  const { enabled, tls } = tracing;
  if (!enabled) return [];
  return tlsCheck("observability.tracing.tls", { ca: tls.ca_file, cert: tls.cert, key: tls.key }, tlsKeys);
}

/** Files that every service opens for its connections to NATS, Redis and the receiver of traces. */
export function commonChecks(config: Config): readonly PreflightCheck[] {
  const { tls, credentials_file: credentials } = config.runtime.bus;
  return [
    ...addedRootsCheck("runtime.outgoing_tls.ca_file", config.runtime.outgoing_tls.ca_file),
    ...readableFile("runtime.bus.credentials_file", credentials, true),
    ...(tls.enabled ? tlsCheck("runtime.bus.tls", { ca: tls.ca_file, cert: tls.cert, key: tls.key }, tlsKeys) : []),
    ...redisChecks(config),
    ...tracingChecks(config),
  ];
}
