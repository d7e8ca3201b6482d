import { createBoundedCache } from "@postern/shared/platform/cache";

/**
 * A token bucket as one number (generic cell rate algorithm): the debt, which is the time until the bucket is full again. All times are
 * integer microseconds, so that Redis and the gateway compute the same.
 */
export interface Rate {
  /** The debt of one token, which is the time in which it is refilled. */
  readonly intervalUs: number;
  /** The debt of an empty bucket. */
  readonly depthUs: number;
}

export function rateOf({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }): Rate {
  const intervalUs = Math.ceil(1_000_000 / perSecond);
  return { intervalUs, depthUs: intervalUs * burst };
}

/** The remaining debt of a bucket that is full at `fullAtUs`; at most that of an empty one. */
export function debtAt(fullAtUs: number, nowUs: number, { depthUs }: Rate): number {
  return Math.min(depthUs, Math.max(0, fullAtUs - nowUs));
}

/** Time until a token is available; 0 if one is. */
export function untilTokenUs(debtUs: number, { intervalUs, depthUs }: Rate): number {
  return Math.max(0, debtUs + intervalUs - depthUs);
}

/** Number of whole tokens at this debt. */
export function tokensIn(debtUs: number, { intervalUs, depthUs }: Rate): number {
  return Math.max(0, Math.floor((depthUs - debtUs) / intervalUs));
}

/** The debt of a bucket whose next token is available in `waitUs`. */
export function debtWithTokenIn(waitUs: number, { intervalUs, depthUs }: Rate): number {
  return Math.min(depthUs, Math.max(0, depthUs - intervalUs + waitUs));
}

/** Integer microseconds of a monotonic clock. */
export type NowUs = () => number;

export const monotonicUs: NowUs = () => Math.floor(performance.now() * 1000);

/** An address whose bucket is not full. */
export interface Debtor {
  readonly key: string;
  fullAtUs: number;
}

/** Takes a token: returns 0, or the microseconds until one is available. */
export function takeToken(debtor: Debtor, nowUs: number, rate: Rate): number {
  const debt = debtAt(debtor.fullAtUs, nowUs, rate);
  const wait = untilTokenUs(debt, rate);
  if (wait === 0) debtor.fullAtUs = nowUs + debt + rate.intervalUs;
  return wait;
}

function createDebtor(key: string): Debtor {
  return { key, fullAtUs: 0 };
}

const sweepEveryMs = 1000;

/**
 * Debts by address, limited in number. Rows are removed within a second after their debt is paid, so that `clear` becomes true again
 * quickly.
 */
export class DebtTable<D extends Debtor> {
  readonly #rows;
  readonly #now: NowUs;
  readonly #create: (key: string) => D;
  readonly #inUse: (row: D) => boolean;
  #sweeping = false;

  /** @param inUse whether a row must be kept although its debt is paid */
  constructor(maxRows: number, now: NowUs, create: (key: string) => D, inUse: (row: D) => boolean) {
    this.#rows = createBoundedCache<D>({ maxEntries: maxRows, evict: "least-used" });
    this.#now = now;
    this.#create = create;
    this.#inUse = inUse;
  }

  /** True while no address has a debt. */
  get clear(): boolean {
    return this.#rows.size === 0;
  }

  get size(): number {
    return this.#rows.size;
  }

  find(key: string): D | undefined {
    return this.#rows.peek(key);
  }

  /** The address's row, created if it does not exist. If the table is full, the row that was used longest ago is dropped. */
  open(key: string): D {
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row = this.#create(key);
    this.#rows.set(key, row);
    if (!this.#sweeping) this.#sweepLater();
    return row;
  }

  #sweepLater(): void {
    this.#sweeping = true;
    setTimeout(() => this.#sweep(), sweepEveryMs).unref();
  }

  #sweep(): void {
    const at = this.#now();
    this.#rows.deleteWhere((row) => row.fullAtUs <= at && !this.#inUse(row));
    this.#sweeping = false;
    if (this.#rows.size > 0) this.#sweepLater();
  }
}

/**
 * The per-address limit of routes that authenticate no API caller: each request counts. The returned function takes a token of an address,
 * and returns 0, or the milliseconds until one is available.
 */
export function createAddressRateLimit(maxAddresses: number, rate: () => Rate) {
  const table = new DebtTable(maxAddresses, monotonicUs, createDebtor, () => false);
  return (addressKey: string): number => takeToken(table.open(addressKey), monotonicUs(), rate()) / 1000;
}

export type AddressRateLimit = ReturnType<typeof createAddressRateLimit>;
