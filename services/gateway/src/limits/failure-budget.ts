import type { Booking } from "./budget-booking.ts";
import { createDebtTable, type Debtor, type NowUs, takeToken, untilToken } from "./debt-table.ts";
import { debtAt, debtWithTokenIn, type Rate, tokensIn } from "./gcra.ts";

/** 0: continue. Otherwise the budget is empty, and the next token is available after this many milliseconds. */
export type BudgetAnswer = (waitMs: number) => void;

/** Failure budgets of client addresses. Addresses are keys, see `addressKey`. */
export interface FailureBudget {
  /** True if no address has a debt: callers may be evaluated without calling `admit`. */
  readonly clear: boolean;
  /** Called before an evaluation. Answers synchronously, unless a failure of the same address is being booked. */
  admit(addressKey: string, answer: BudgetAnswer): void;
  /** Takes one token. */
  spend(addressKey: string, answer: BudgetAnswer): void;
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
  readonly line: BudgetAnswer[];
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
  admit: (_addressKey, answer) => answer(0),
  spend: (_addressKey, answer) => answer(0),
  left: () => Number.POSITIVE_INFINITY,
  learn: () => undefined,
};

/** Requests that wait for a booking of their address, limited over all addresses. */
function createWaitingLine(maxWaiting: number) {
  let waiting = 0;
  return {
    join: ({ line }: Address, answer: BudgetAnswer): boolean => {
      if (waiting >= maxWaiting) return false;
      waiting += 1;
      line.push(answer);
      return true;
    },
    /** An answer may fail its request, and so begin the next booking, before it returns. */
    letOn: (address: Address, waitMs: () => number): void => {
      while (address.bookings === 0) {
        const answer = address.line.shift();
        if (answer === undefined) return;
        waiting -= 1;
        answer(waitMs());
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
  const settle = (address: Address, granted: boolean, answer: BudgetAnswer): void => {
    const emptyForMs = waitMs(address);
    if (emptyForMs > 0) warn(address);
    if (emptyForMs > 0 && granted && !booking.away) deps.announce(address.key, emptyForMs);
    address.bookings -= 1;
    // A rejection remains one, even if a token became available while the reply was in transit.
    answer(granted ? 0 : Math.max(1, emptyForMs));
    waitingLine.letOn(address, () => waitMs(address));
  };
  const book = (address: Address, answer: BudgetAnswer): void => {
    address.bookings += 1;
    booking.book(address.key, rate(), (take) => {
      counted(take === undefined ? "local" : "shared", take?.granted === false ? "empty" : "taken");
      if (take !== undefined) owe(address, now() + take.debtUs);
      settle(address, take?.granted ?? true, answer);
    });
  };
  return {
    get clear() {
      return table.clear;
    },
    get size() {
      return table.size;
    },
    admit: (key, answer) => {
      const address = table.find(key);
      if (address === undefined) answer(0);
      else if (address.bookings === 0 || !waitingLine.join(address, answer)) answer(waitMs(address));
    },
    spend: (key, answer) => {
      const address = table.open(key);
      const waitUs = takeToken(address, now(), rate());
      if (waitUs === 0) {
        book(address, answer);
        return;
      }
      counted("local", "empty");
      warn(address);
      answer(waitUs / 1000);
    },
    left: (key) => tokensIn(debtAt(table.find(key)?.fullAtUs ?? 0, now(), rate()), rate()),
    learn: (key, emptyForMs) => owe(table.open(key), now() + debtWithTokenIn(emptyForMs * 1000, rate())),
  };
}
