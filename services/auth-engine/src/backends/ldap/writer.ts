import { throwIfOver, untilOver } from "@postern/shared/platform/concurrency";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import type { BackendContext } from "../backend.ts";
import { backendUnavailable } from "../servers/errors.ts";
import type { Target, TargetSet } from "../servers/target-set.ts";
import { type LdapConnection, openReadyConnection } from "./client.ts";
import { serviceIdentity } from "./connection-pools.ts";
import { classifyFailure } from "./errors.ts";
import type { LdapPoolSettings } from "./ldap-settings.ts";
import type { ServerAddress } from "./server-uri.ts";

/** Opens a connection as the service account to the first of the servers that accepts one. */
export async function openAnywhere(
  targets: TargetSet<ServerAddress>,
  usable: readonly Target<ServerAddress>[],
  settings: LdapPoolSettings & { readonly operationTimeoutMs: number },
): Promise<LdapConnection> {
  let failure: unknown;
  for (const target of usable) {
    try {
      const options = { ...settings, onClose: () => undefined };
      const connection = await openReadyConnection(target.address, serviceIdentity(settings), options);
      target.breaker.succeeded();
      return connection;
    } catch (error) {
      failure = error;
      targets.noteFailure(target, error);
    }
  }
  throw backendUnavailable("opening an LDAP connection", failure ?? targets.reason());
}

/** Changes are rare (an enrolment, a recovery code), so each opens its own connection. */
const maxAtOnce = 16;

/**
 * Changes, and the reads that they depend on, as the service account. All processes use the first reachable server of
 * `server_uri`, so that of two who delete one value, one learns that it no longer exists; servers that replicate each
 * other would both accept. Nothing is retried: after a lost answer it is unknown whether the change was made.
 */
export function createWriter(
  name: string,
  settings: LdapPoolSettings,
  targets: TargetSet<ServerAddress>,
  clock: Clock,
) {
  let running = 0;
  const options = { ...settings, operationTimeoutMs: settings.modifyTimeoutMs };

  const perform = async <T>(work: (connection: LdapConnection) => Promise<T>): Promise<T> => {
    running += 1;
    let connection: LdapConnection | undefined;
    try {
      connection = await openAnywhere(targets, targets.usable(), options);
      return await work(connection);
    } finally {
      running -= 1;
      connection?.close();
    }
  };

  return {
    run: async <T>(work: (connection: LdapConnection) => Promise<T>, context: BackendContext): Promise<T> => {
      const waitingFor = `a change in LDAP pool ${name}`;
      throwIfOver(context, clock, waitingFor);
      if (running >= maxAtOnce)
        throw new AppError("DIRECTORY_OVERLOADED", { detail: `${running} changes are in progress` });
      try {
        return await untilOver(perform(work), { context, clock, waitingFor });
      } catch (error) {
        // The caller evaluates the server's response to the change itself.
        if (classifyFailure(error) === "answer") throw error;
        throw backendUnavailable(waitingFor, error);
      }
    },
  };
}
