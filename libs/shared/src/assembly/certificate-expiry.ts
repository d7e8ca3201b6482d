import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Config } from "../platform/config/index.ts";
import type { Metrics } from "../platform/metrics/registry.ts";
import { type Clock, systemClock } from "../platform/time/clock.ts";

/** The files with Postern's own certificates that a service uses. */
function certificateFiles(config: Config, service: string): readonly string[] {
  const { servers, bus } = config.runtime;
  const { http, grpc } = servers;
  const { roles } = config.storage.redis;
  const listeners =
    service === "gateway"
      ? [http.tls.enabled ? http.tls.cert : "", grpc.authority.tls.enabled ? grpc.authority.tls.cert : ""]
      : [];
  const clients = [bus, roles.state, roles.queue, roles.cache].map(({ tls }) => (tls.enabled ? tls.cert : ""));
  const signing = service === "idp" && config.identity.saml.enabled ? [config.identity.saml.cert_file] : [];
  return [...new Set([...listeners, ...clients, ...signing])].filter((file) => file !== "");
}

/** @returns undefined if the file cannot be read, as while it is being replaced */
function endOf(file: string): number | undefined {
  try {
    return new X509Certificate(readFileSync(file)).validToDate.getTime();
  } catch {
    return undefined;
  }
}

/** Seconds until the first of the certificates in the files expires; negative if one has expired. */
export function remainingSeconds(files: readonly string[], clock: Clock = systemClock): number {
  const ends = files.flatMap((file) => endOf(file) ?? []);
  return ends.length === 0 ? Number.NaN : Math.floor((Math.min(...ends) - clock.now()) / 1000);
}

/** Exports how long the certificates of this process remain valid, if it has any. The files are read when the metrics are. */
export function exportCertificateExpiry(
  config: Config,
  {
    service,
    metrics,
    metricsPrefix,
  }: { readonly service: string; readonly metrics: Metrics; readonly metricsPrefix: string },
): void {
  const files = certificateFiles(config, service);
  if (files.length === 0) return;
  metrics.gauge({
    name: `${metricsPrefix}_certificate_remaining_seconds`,
    help: "Seconds until the first certificate of this process expires",
    read: () => remainingSeconds(files),
  });
}
