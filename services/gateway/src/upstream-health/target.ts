export type MailProtocol = "imap" | "pop3" | "smtp" | "lmtp" | "sieve" | "http";

/** A mail server as configured (`auth.services.backend_health_checks.targets[]`). */
export interface MailTarget {
  readonly protocol: MailProtocol;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly startTls: boolean;
  readonly skipVerify: boolean;
  readonly proxyHeader: boolean;
  readonly requestUri: string;
}

export interface HealthCheckSettings {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly failureThreshold: number;
  readonly recoveryThreshold: number;
  readonly targets: readonly MailTarget[];
}

/** Targets with the same key are checked once. */
export const targetKey = (target: MailTarget): string => JSON.stringify(Object.values(target));
