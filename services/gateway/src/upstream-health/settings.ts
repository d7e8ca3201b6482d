import type { AuthConfig } from "@postern/shared/platform/config";
import type { HealthCheckSettings, MailProtocol } from "./target.ts";

/** Ports without TLS and with implicit TLS, from IANA's registry. */
const ownPorts: Readonly<Record<MailProtocol, readonly [number, number]>> = {
  imap: [143, 993],
  pop3: [110, 995],
  smtp: [25, 465],
  lmtp: [24, 24],
  sieve: [4190, 4190],
  http: [80, 443],
};

export function healthCheckSettings({ backend_health_checks: checks }: AuthConfig["services"]): HealthCheckSettings {
  return {
    intervalMs: checks.interval,
    timeoutMs: checks.timeout,
    failureThreshold: checks.failure_threshold,
    recoveryThreshold: checks.recovery_threshold,
    targets: checks.targets.map(
      ({ protocol, host, port, tls, starttls, tls_skip_verify, haproxy_v2, request_uri }) => ({
        protocol,
        host,
        port: port === 0 ? ownPorts[protocol][tls ? 1 : 0] : port,
        tls,
        startTls: starttls,
        skipVerify: tls_skip_verify,
        proxyHeader: haproxy_v2,
        requestUri: request_uri,
      }),
    ),
  };
}
