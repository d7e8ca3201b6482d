import { debtAt, type Rate, untilTokenUs } from "./gcra.ts";

/** Whole microseconds of a clock that never goes back. */
export type NowUs = () => number;

export const monotonicUs: NowUs = () => Math.floor(performance.now() * 1000);

/** One address that has taken tokens and not got all of them back. */
export interface Debtor {
  readonly key: string;
  fullAtUs: number;
}

export interface DebtTable<D extends Debtor> {
  /** True while nobody owes anything. */
  readonly clear: boolean;
  readonly size: number;
  find(key: string): D | undefined;
  /** The address's row, made where it has none. In a full table, whoever took longest ago is forgotten. */
  open(key: string): D;
}

export interface DebtTableDeps<D extends Debtor> {
  readonly now: NowUs;
  readonly maxRows: number;
  readonly create: (key: string) => D;
  /** A row that stays although its debt is paid. */
  readonly inUse: (row: D) => boolean;
}

const sweepEveryMs = 1000;

/** Debts by address, bounded. Rows whose debt is paid leave within a second, so that "nobody owes" is soon true again. */
export function createDebtTable<D extends Debtor>({ now, maxRows, create, inUse }: DebtTableDeps<D>): DebtTable<D> {
  const rows = new Map<string, D>();
  let sweeping = false;
  const sweep = (): void => {
    const at = now();
    for (const [key, row] of rows) if (row.fullAtUs <= at && !inUse(row)) rows.delete(key);
    sweeping = rows.size > 0;
    if (sweeping) setTimeout(sweep, sweepEveryMs).unref();
  };
  const makeRoom = (): void => {
    const [oldest] = rows.keys();
    if (rows.size >= maxRows && oldest !== undefined) rows.delete(oldest);
  };
  return {
    get clear() {
      return rows.size === 0;
    },
    get size() {
      return rows.size;
    },
    find: (key) => rows.get(key),
    open: (key) => {
      const known = rows.get(key);
      if (known === undefined) makeRoom();
      else rows.delete(key);
      const row = known ?? create(key);
      rows.set(key, row);
      if (!sweeping) {
        sweeping = true;
        setTimeout(sweep, sweepEveryMs).unref();
      }
      return row;
    },
  };
}

/** Takes a token, or tells in how many microseconds one is back. */
export function takeToken(debtor: Debtor, nowUs: number, rate: Rate): number {
  const debt = debtAt(debtor.fullAtUs, nowUs, rate);
  const wait = untilTokenUs(debt, rate);
  if (wait === 0) debtor.fullAtUs = nowUs + debt + rate.intervalUs;
  return wait;
}

/** Takes nothing. */
export function untilToken(debtor: Debtor, nowUs: number, rate: Rate): number {
  return untilTokenUs(debtAt(debtor.fullAtUs, nowUs, rate), rate);
}
