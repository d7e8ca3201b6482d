import type { PasswordVerifier, StoredPassword } from "@postern/shared/domain/passwords";
import { abortAfter } from "@postern/shared/platform/concurrency";
import type { Secret } from "@postern/shared/platform/crypto";
import { steadyClock } from "@postern/shared/platform/time";
import type { SqlClient } from "./sql-client.ts";

export interface Upgradable {
  /** The site's statement; absent if the site wants no upgrades. */
  readonly statement: string | undefined;
  readonly account: string;
  /** The hash that the password matched. */
  readonly stored: StoredPassword;
  /** The hash in the database's own spelling. */
  readonly text: string;
}

/**
 * After an old table was taken over, many users sign in at the same time; upgrades beyond this limit happen at a later
 * sign-in.
 */
const maxAtOnce = 2;
const withinMs = 10_000;

/**
 * Stores a better hash after a sign-in with an old one. No sign-in waits for it, and its failure does not affect the
 * sign-in.
 */
export function createPasswordUpgrades(
  client: SqlClient,
  passwords: Pick<PasswordVerifier, "upgrade">,
  onFailure: (error: unknown) => void,
) {
  const running = new Set<Promise<void>>();
  const upgrade = async (
    { statement, account, stored, text }: Required<Upgradable>,
    password: Secret,
  ): Promise<void> => {
    if (statement === undefined) return;
    const context = { deadline: steadyClock.now() + withinMs, signal: abortAfter(withinMs) };
    const better = await passwords.upgrade(stored, password, context);
    if (better === undefined) return;
    const parameters = { account, password: better, old_password: text };
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
    /** Resolves when no upgrade is in progress. */
    settled: async (): Promise<void> => {
      await Promise.all(running);
    },
  };
}
