import type { RedisClient } from "../../platform/redis/client.ts";
import { domainAccountsKey, domainDayKey } from "../../platform/redis/keys/counts.ts";

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

/** Days that are shown, the last of which is not over yet. */
export const countedDays = 14;
/** Weeks whose accounts are shown together: as many as the days may be in. */
export const countedWeeks = 3;

export const dayOf = (ms: number): number => Math.floor(ms / dayMs);
export const weekOf = (ms: number): number => Math.floor(ms / weekMs);
/** A day as people write it. */
export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);
export const firstDayOfWeek = (week: number): number => week * 7;

/** Two days longer than it is shown, for clocks that differ. */
export const dayLifeSeconds = ((countedDays + 2) * dayMs) / 1000;
export const weekLifeSeconds = ((countedWeeks + 1) * weekMs) / 1000;

/** What is counted of the accounts of a domain: those that signed in, and those of them with a second factor or an app password. */
export const accountKinds = ["accounts", "second_factors", "app_passwords"] as const;
export type AccountKind = (typeof accountKinds)[number];

/** All domains together that are not counted by themselves. No domain has this name. */
export const otherDomains = "*";
/** Domains that are counted by themselves on one day. */
export const maxDomainsADay = 20_000;

/** An entry of a hash as the script of the engines writes it: `OK FAILED LAST`. Zeros for what another version wrote. */
function readEntry(text: string | null | undefined) {
  const [, ok = 0, failed = 0, last = 0] = /^(\d{1,15}) (\d{1,15}) (\d{1,15})$/u.exec(text ?? "") ?? [];
  return { ok: Number(ok), failed: Number(failed), last: Number(last) };
}

/** Reads what engines count. @returns counts in the order of the names; rejects if Redis does not answer */
export function createDomainCountReader(redis: RedisClient, keyPrefix: string) {
  const accountsOf = async (name: string, last: number): Promise<Readonly<Record<AccountKind, number>>> => {
    const weeks = Array.from({ length: countedWeeks }, (_, index) => String(last - index));
    const count = async (kind: AccountKind): Promise<number> =>
      redis.pfcount(...weeks.map((week) => domainAccountsKey.build(keyPrefix, kind, week, name)));
    const [accounts = 0, second_factors = 0, app_passwords = 0] = await Promise.all(accountKinds.map(count));
    return { accounts, second_factors, app_passwords };
  };
  return async (names: readonly string[], nowMs: number) => {
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
        /** The oldest first, each with its number since the epoch. */
        days: entries.map(({ ok, failed }, at) => ({ day: numbers[at] ?? today, ok, failed })),
        /** Of the last success; undefined if there was none. */
        lastMs: last === 0 ? undefined : last * 1000,
        /** The day from which on accounts are counted. */
        accountsSince: firstDayOfWeek(week - countedWeeks + 1),
        /** About so many accounts. */
        accounts: accounts[index] ?? { accounts: 0, second_factors: 0, app_passwords: 0 },
      };
    });
  };
}

export type ReadDomainCounts = ReturnType<typeof createDomainCountReader>;
/** Sign-ins of one domain. Temporary failures are in no number. */
export type DomainCounts = Awaited<ReturnType<ReadDomainCounts>>[number];
