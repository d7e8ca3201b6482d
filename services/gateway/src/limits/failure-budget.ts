import type { Booking } from "./budget-booking.ts";
import { createDebtTable, type Debtor, type NowUs, takeToken, untilToken } from "./debt-table.ts";
import { debtAt, debtWithTokenIn, type Rate, tokensIn } from "./gcra.ts";

/**
 * Evaluates credentials if `waitMs` is 0. Otherwise the budget is empty, and the next token is available after this many milliseconds. A
 * failure calls `spend` before the evaluation first awaits, see `admit`; only a token whose key or state must be read spends afterwards.
 */
export type Evaluate<T> = (waitMs: number) => Promise<T>;

/** Failure budgets of API callers' addresses. Addresses are keys, see `addressKey`. */
export interface FailureBudget {
  /** True if no address has a debt: callers may be evaluated without calling `admit`. */
  readonly clear: boolean;
  /**
   * Calls `evaluate` synchronously, unless a failure of the same address is being booked. Pipelined requests arrive in one turn of the event
   * loop: if anything were awaited between admission and evaluation, all of them would be evaluated for one token.
   */
  admit<T>(addressKey: string, evaluate: Evaluate<T>): Promise<T>;
  /**
   * Takes one token, synchronously from the local bucket. Resolves to 0, or to the milliseconds until a token is available if there was none.
   */
  spend(addressKey: string): Promise<number>;
  /** Number of whole tokens that the address has left, as far as this gateway knows. */
  left(addressKey: string): number;
  /** Another gateway has found the budget empty. */
  learn(addressKey: string, emptyForMs: number): void;
  /** Number of addresses with a debt. */
  readonly size: number;
}

export type Bucket = "shared" | "local";

export interface FailureBudgetDeps {
  readonly booking: Booking;
  readonly rate: () => Rate;
  readonly now: NowUs;
  readonly maxAddresses: number;
  /** Maximum number of requests that wait for a booking; further ones are evaluated without waiting. */
  readonly maxWaiting: number;
  /** Notifies the other gateways. */
  readonly announce: (addressKey: string, emptyForMs: number) => void;
  readonly counted: (bucket: Bucket, result: "taken" | "empty") => void;
  /** Called once while the address has a debt. */
  readonly onEmpty: (addressKey: string) => void;
}

interface Address extends Debtor {
  /** Failures that are being booked in Redis. */
  bookings: number;
  /** Requests that wait for them. */
  readonly line: ((waitMs: number) => void)[];
  isEmptyReported: boolean;
}

function createAddress(key: string): Address {
  return { key, fullAtUs: 0, bookings: 0, line: [], isEmptyReported: false };
}

function inUse({ bookings }: Address): boolean {
  return bookings > 0;
}

/**
 * The debt of the shared bucket is never less than ours, so ours is raised to it, and an empty local bucket is conclusive.
 */
function owe(address: Address, untilUs: number): void {
  address.fullAtUs = Math.max(address.fullAtUs, untilUs);
}

/** Used while `middlewares.rate` is off. */
export const noFailureBudget: FailureBudget = {
  clear: true,
  size: 0,
  admit: (_addressKey, evaluate) => evaluate(0),
  spend: async () => 0,
  left: () => Number.POSITIVE_INFINITY,
  learn: () => undefined,
};

/** Requests that wait for a booking of their address, limited over all addresses. */
function createWaitingLine(maxWaiting: number) {
  let waiting = 0;
  return {
    hasRoom: (): boolean => waiting < maxWaiting,
    join: <T>({ line }: Address, evaluate: Evaluate<T>): Promise<T> => {
      waiting += 1;
      return new Promise((resolve) => {
        line.push((waitMs) => resolve(evaluate(waitMs)));
      });
    },
    /** An evaluation that fails begins the next booking before it returns. */
    evaluateNext: (address: Address, waitMs: () => number): void => {
      while (address.bookings === 0) {
        const evaluate = address.line.shift();
        if (evaluate === undefined) return;
        waiting -= 1;
        evaluate(waitMs());
      }
    },
  };
}

/**
 * Each gateway has a local bucket for each address with failures. A failure takes a token from it and then from the bucket in Redis that
 * all gateways share, and adopts that one's debt. Redis is therefore called only for failures, and never for an address that is known to be
 * empty. While a failure is being booked, other requests of the address wait: however many are sent in parallel, a gateway evaluates at
 * most one guess more than there are tokens.
 */
export function createFailureBudget(deps: FailureBudgetDeps): FailureBudget {
  const { booking, rate, now, maxAddresses, maxWaiting, counted } = deps;
  const table = createDebtTable({ now, maxRows: maxAddresses, create: createAddress, inUse });
  const waitingLine = createWaitingLine(maxWaiting);
  const waitMs = (address: Address): number => untilToken(address, now(), rate()) / 1000;
  const warn = (address: Address): void => {
    if (!address.isEmptyReported) deps.onEmpty(address.key);
    address.isEmptyReported = true;
  };
  const book = async (address: Address): Promise<number> => {
    address.bookings += 1;
    const take = await booking.book(address.key, rate());
    const granted = take?.granted ?? true;
    counted(take === undefined ? "local" : "shared", granted ? "taken" : "empty");
    if (take !== undefined) owe(address, now() + take.debtUs);
    const emptyForMs = waitMs(address);
    if (emptyForMs > 0) warn(address);
    if (emptyForMs > 0 && granted && !booking.away) deps.announce(address.key, emptyForMs);
    address.bookings -= 1;
    waitingLine.evaluateNext(address, () => waitMs(address));
    // A rejection remains one, even if a token became available while the reply was in transit.
    return granted ? 0 : Math.max(1, emptyForMs);
  };
  return {
    get clear() {
      return table.clear;
    },
    get size() {
      return table.size;
    },
    admit: (key, evaluate) => {
      const address = table.find(key);
      if (address === undefined) return evaluate(0);
      if (address.bookings > 0 && waitingLine.hasRoom()) return waitingLine.join(address, evaluate);
      return evaluate(waitMs(address));
    },
    spend: async (key) => {
      const address = table.open(key);
      const waitUs = takeToken(address, now(), rate());
      if (waitUs === 0) return book(address);
      counted("local", "empty");
      warn(address);
      return waitUs / 1000;
    },
    left: (key) => tokensIn(debtAt(table.find(key)?.fullAtUs ?? 0, now(), rate()), rate()),
    learn: (key, emptyForMs) => owe(table.open(key), now() + debtWithTokenIn(emptyForMs * 1000, rate())),
  };
}
