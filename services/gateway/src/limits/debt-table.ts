import { createBoundedCache } from "@postern/shared/platform/cache";
import { debtAt, type Rate, untilTokenUs } from "./gcra.ts";

/** Integer microseconds of a monotonic clock. */
export type NowUs = () => number;

export const monotonicUs: NowUs = () => Math.floor(performance.now() * 1000);

/** An address whose bucket is not full. */
export interface Debtor {
  readonly key: string;
  fullAtUs: number;
}

export interface DebtTable<D extends Debtor> {
  /** True while no address has a debt. */
  readonly clear: boolean;
  readonly size: number;
  find(key: string): D | undefined;
  /**
   * The address's row, created if it does not exist. If the table is full, the row that was used longest ago is dropped.
   */
  open(key: string): D;
}

export interface DebtTableDeps<D extends Debtor> {
  readonly now: NowUs;
  readonly maxRows: number;
  readonly create: (key: string) => D;
  /** Whether a row must be kept although its debt is paid. */
  readonly inUse: (row: D) => boolean;
}

const sweepEveryMs = 1000;

/**
 * Debts by address, limited in number. Rows are removed within a second after their debt is paid, so that `clear` becomes true again
 * quickly.
 */
export function createDebtTable<D extends Debtor>({ now, maxRows, create, inUse }: DebtTableDeps<D>): DebtTable<D> {
  const rows = createBoundedCache<D>({ maxEntries: maxRows, evict: "least-used" });
  let sweeping = false;
  const sweep = (): void => {
    const at = now();
    rows.deleteWhere((row) => row.fullAtUs <= at && !inUse(row));
    sweeping = rows.size > 0;
    if (sweeping) setTimeout(sweep, sweepEveryMs).unref();
  };
  return {
    get clear() {
      return rows.size === 0;
    },
    get size() {
      return rows.size;
    },
    find: rows.peek,
    open: (key) => {
      const known = rows.get(key);
      if (known !== undefined) return known;
      const row = create(key);
      rows.set(key, row);
      if (!sweeping) {
        sweeping = true;
        setTimeout(sweep, sweepEveryMs).unref();
      }
      return row;
    },
  };
}

/** Takes a token: returns 0, or the microseconds until one is available. */
export function takeToken(debtor: Debtor, nowUs: number, rate: Rate): number {
  const debt = debtAt(debtor.fullAtUs, nowUs, rate);
  const wait = untilTokenUs(debt, rate);
  if (wait === 0) debtor.fullAtUs = nowUs + debt + rate.intervalUs;
  return wait;
}

/** The same without taking a token. */
export function untilToken(debtor: Debtor, nowUs: number, rate: Rate): number {
  return untilTokenUs(debtAt(debtor.fullAtUs, nowUs, rate), rate);
}
