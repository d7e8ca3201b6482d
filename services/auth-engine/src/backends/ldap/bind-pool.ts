import { Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { type Clock, steadyClock } from "@postern/shared/platform/time";
import type { Control } from "ldapts";
import type { BackendContext } from "../backend.ts";
import { ConnectionPool } from "../servers/connection-pool.ts";
import type { ConnectionPoolSnapshot } from "../servers/connection-pool-options.ts";
import type { TargetSet } from "../servers/target-set.ts";
import { createBindRate } from "./bind-rate.ts";
import { openReadyConnection } from "./client.ts";
import { classifyFailure } from "./errors.ts";
import type { ServerAddress } from "./server-uri.ts";
import type { LdapPoolSettings } from "./settings.ts";

/** Longer than for a search: servers with slow password hashes must not get a bind twice, because each counts wrong passwords. */
const patienceMs = 1500;

/**
 * Binds as users, one at a time on each connection, because a bind ends all other operations on it (RFC 4511 section
 * 4.2.1). The connections serve no other purpose: after a bind they act as that user until the next bind. Binding again
 * costs less than half of reconnecting.
 */
export function createBindPool(settings: LdapPoolSettings, targets: TargetSet<ServerAddress>, clock: Clock) {
  const pool = new ConnectionPool({
    label: "LDAP bind connection",
    targets,
    size: settings.authPoolSize,
    idleSize: settings.lookupPoolOnly ? 0 : settings.authIdleSize,
    capacity: 1,
    queueLength: settings.authQueueLength,
    needsServiceAccount: false,
    open: ({ address }, onClose) =>
      openReadyConnection(
        address,
        { kind: "anonymous" },
        { ...settings, operationTimeoutMs: settings.bindTimeoutMs, onClose },
      ),
    patienceMs,
    classify: classifyFailure,
    clock,
  });
  const takeBind = createBindRate(settings.bindRate, steadyClock);
  return {
    /**
     * Rejects with the server's `ResultCodeError` if it refuses, or with `DIRECTORY_OVERLOADED` above the pool's rate.
     * `controls` receive what the server adds about the password.
     */
    bind: async (dn: string, password: Secret, context: BackendContext, controls?: Control[]): Promise<void> => {
      if (!takeBind())
        throw new AppError("DIRECTORY_OVERLOADED", { detail: "more binds than auth_rate_limit_per_second allows" });
      const sent = settings.composesPasswords === true ? new Secret(password.reveal().normalize("NFC")) : password;
      await pool.run((connection) => connection.bind(dn, sent, controls), context);
    },
    rebalance: (): void => pool.rebalance(),
    snapshot: (): ConnectionPoolSnapshot => pool.snapshot(),
    close: (): Promise<void> => pool.close(),
  };
}

export type BindPool = ReturnType<typeof createBindPool>;
