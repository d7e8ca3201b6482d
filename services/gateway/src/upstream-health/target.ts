import type { AuthConfig } from "@postern/shared/platform/config";

/** Ports without TLS and with implicit TLS, from IANA's registry. */
const ownPorts = {
  imap: [143, 993],
  pop3: [110, 995],
  smtp: [25, 465],
  lmtp: [24, 24],
  sieve: [4190, 4190],
  http: [80, 443],
} as const;

export type MailProtocol = keyof typeof ownPorts;

/** The mail servers as configured (`auth.services.backend_health_checks`). */
export function healthCheckSettings({ backend_health_checks: checks }: AuthConfig["services"]) {
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

export type HealthCheckSettings = ReturnType<typeof healthCheckSettings>;
export type MailTarget = Readonly<HealthCheckSettings["targets"][number]>;

/** Targets with the same key are checked once. */
export const targetKey = (target: MailTarget): string => JSON.stringify(Object.values(target));
