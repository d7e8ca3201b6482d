import { type Config, type OwnCertificate, ownCertificates, readOwnCertificate } from "../platform/config/index.ts";
import type { Metrics } from "../platform/metrics/registry.ts";
import { type Clock, systemClock } from "../platform/time/clock.ts";

/** When the certificates expire, by the key of the configuration that names them. Those that cannot be read are absent, as while a file is being replaced. */
export function certificateEnds(certificates: readonly OwnCertificate[]) {
  return certificates.flatMap((one) => {
    const certificate = readOwnCertificate(one);
    return certificate === undefined ? [] : [{ name: one.key, endMs: certificate.validToDate.getTime() }];
  });
}

/** Seconds until the first of the certificates expires; negative if one has expired. */
export function remainingSeconds(certificates: readonly OwnCertificate[], clock: Clock = systemClock): number {
  const ends = certificateEnds(certificates).map(({ endMs }) => endMs);
  return ends.length === 0 ? Number.NaN : Math.floor((Math.min(...ends) - clock.now()) / 1000);
}

/** Exports how long the certificates of this process remain valid, if it has any. The files are read when the metrics are. */
export function exportCertificateExpiry(config: Config, service: string, metrics: Metrics): void {
  const certificates = ownCertificates(config, service);
  if (certificates.length === 0) return;
  metrics.gauge({
    name: `${config.runtime.naming.identifier}_certificate_remaining_seconds`,
    help: "Seconds until the first certificate of this process expires",
    read: () => remainingSeconds(certificates),
  });
}
