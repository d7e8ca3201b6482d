import type { Secret } from "@postern/shared/crypto";
import type { PasswordVerifier } from "@postern/shared/passwords";
import { systemClock } from "@postern/shared/time";
import type { SqlClient } from "./sql-client.ts";

export interface PasswordUpgradesDeps {
  readonly client: SqlClient;
  readonly passwords: Pick<PasswordVerifier, "upgrade">;
  readonly onFailure: (error: unknown) => void;
}

export interface Upgradable {
  /** The site's statement; absent: it wants none. */
  readonly statement: string | undefined;
  readonly account: string;
  /** The hash that the password was found to fit. */
  readonly stored: string;
}

/** After an old table was taken over, many users sign in at once: those above this are upgraded another time. */
const maxAtOnce = 2;
const withinMs = 10_000;

/** Stores a better hash after a login with an old one. Nobody waits for it, and its failure says nothing of the login. */
export function createPasswordUpgrades({ client, passwords, onFailure }: PasswordUpgradesDeps) {
  const running = new Set<Promise<void>>();
  const upgrade = async ({ statement, account, stored }: Required<Upgradable>, password: Secret): Promise<void> => {
    if (statement === undefined) return;
    const context = { deadline: systemClock.now() + withinMs, signal: AbortSignal.timeout(withinMs) };
    const better = await passwords.upgrade(stored, password, context);
    if (better === undefined) return;
    const parameters = { account, password: better, old_password: stored };
    await client.execute([{ statement, parameters }], context);
  };
  return {
    consider(upgradable: Upgradable, password: Secret): void {
      if (upgradable.statement === undefined || running.size >= maxAtOnce) return;
      const one = upgrade(upgradable, password)
        .catch(onFailure)
        .finally(() => running.delete(one));
      running.add(one);
    },
    /** Resolves when none runs. */
    settled: async (): Promise<void> => {
      await Promise.all(running);
    },
  };
}
