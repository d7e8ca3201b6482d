import type { Secret } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import type { Clock } from "@postern/shared/time";
import type { PasswordPolicyControl } from "ldapts";
import type { DirectoryContext } from "../directory.ts";
import { ConnectionPool, type ConnectionPoolSnapshot } from "../servers/connection-pool.ts";
import type { TargetSet } from "../servers/target-set.ts";
import { createBindRate } from "./bind-rate.ts";
import { openReadyConnection } from "./client.ts";
import { classifyFailure } from "./errors.ts";
import type { ServerAddress } from "./server-uri.ts";
import type { LdapPoolSettings } from "./settings.ts";

/**
 * Binds as users, one at a time on each connection (RFC 4511 section 4.2.1: a bind ends what else is in flight). The
 * connections are used for nothing else: after a bind they speak as that user until the next bind. Binding again costs
 * less than half of connecting again.
 */
export interface BindPool {
  /**
   * Rejects with the server's own `ResultCodeError` when it refuses, with `DIRECTORY_OVERLOADED` above the pool's rate.
   * `policy` gets what the server adds about the password.
   */
  bind(dn: string, password: Secret, context: DirectoryContext, policy?: PasswordPolicyControl): Promise<void>;
  rebalance(): void;
  snapshot(): ConnectionPoolSnapshot;
  close(): Promise<void>;
}

export function createBindPool(settings: LdapPoolSettings, targets: TargetSet<ServerAddress>, clock: Clock): BindPool {
  const pool = new ConnectionPool({
    label: "LDAP bind connection",
    targets,
    size: settings.authPoolSize,
    capacity: 1,
    queueLength: settings.authQueueLength,
    needsServiceAccount: false,
    open: ({ address }, onClose) =>
      openReadyConnection(
        address,
        { kind: "anonymous" },
        { ...settings, operationTimeoutMs: settings.bindTimeoutMs, onClose },
      ),
    classify: classifyFailure,
    clock,
  });
  const takeBind = createBindRate(settings.bindRate, clock);
  return {
    bind: async (dn, password, context, policy) => {
      if (!takeBind()) throw new AppError("DIRECTORY_OVERLOADED", { detail: "binds above auth_rate_limit_per_second" });
      await pool.run((connection) => connection.bind(dn, password, policy), context);
    },
    rebalance: () => pool.rebalance(),
    snapshot: () => pool.snapshot(),
    close: () => pool.close(),
  };
}
