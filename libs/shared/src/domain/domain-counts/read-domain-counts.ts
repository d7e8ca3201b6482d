import type { RedisClient } from "../../platform/redis/client.ts";
import { domainAccountsKey, domainDayKey } from "../../platform/redis/keys/counts.ts";
import { type AccountKind, accountKinds, countedDays, countedWeeks, dayOf, firstDayOfWeek, weekOf } from "./periods.ts";

/** Sign-ins of one domain. Temporary failures are in no number. */
export interface DomainCounts {
  /** The oldest first, each with its number since the epoch. */
  readonly days: readonly { readonly day: number; readonly ok: number; readonly failed: number }[];
  /** Of the last success; undefined if there was none. */
  readonly lastMs: number | undefined;
  /** The day from which on accounts are counted. */
  readonly accountsSince: number;
  /** About so many accounts. */
  readonly accounts: Readonly<Record<AccountKind, number>>;
}

/** An entry of a hash as the script of the engines writes it: `OK FAILED LAST`. Zeros for what another version wrote. */
function readEntry(text: string | null | undefined) {
  const [, ok = 0, failed = 0, last = 0] = /^(\d{1,15}) (\d{1,15}) (\d{1,15})$/u.exec(text ?? "") ?? [];
  return { ok: Number(ok), failed: Number(failed), last: Number(last) };
}

/** Reads what engines count. @returns counts in the order of the names; rejects if Redis does not answer */
export function createDomainCountReader(redis: RedisClient, keyPrefix: string) {
  const accountsOf = async (name: string, last: number): Promise<DomainCounts["accounts"]> => {
    const weeks = Array.from({ length: countedWeeks }, (_, index) => String(last - index));
    const count = async (kind: AccountKind): Promise<number> =>
      redis.pfcount(...weeks.map((week) => domainAccountsKey.build(keyPrefix, kind, week, name)));
    const [accounts = 0, second_factors = 0, app_passwords = 0] = await Promise.all(accountKinds.map(count));
    return { accounts, second_factors, app_passwords };
  };
  return async (names: readonly string[], nowMs: number): Promise<readonly DomainCounts[]> => {
    if (names.length === 0) return [];
    const [today, week] = [dayOf(nowMs), weekOf(nowMs)];
    const numbers = Array.from({ length: countedDays }, (_, index) => today - countedDays + 1 + index);
    const [hashes, accounts] = await Promise.all([
      Promise.all(numbers.map((day) => redis.hmget(domainDayKey.build(keyPrefix, String(day)), ...names))),
      Promise.all(names.map((name) => accountsOf(name, week))),
    ]);
    return names.map((_name, index) => {
      const entries = hashes.map((hash) => readEntry(hash[index]));
      const last = Math.max(...entries.map((entry) => entry.last));
      return {
        days: entries.map(({ ok, failed }, at) => ({ day: numbers[at] ?? today, ok, failed })),
        lastMs: last === 0 ? undefined : last * 1000,
        accountsSince: firstDayOfWeek(week - countedWeeks + 1),
        accounts: accounts[index] ?? { accounts: 0, second_factors: 0, app_passwords: 0 },
      };
    });
  };
}

export type ReadDomainCounts = ReturnType<typeof createDomainCountReader>;
