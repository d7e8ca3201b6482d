import type { Booking } from "./budget-booking.ts";
import { createDebtTable, type Debtor, type NowUs, takeToken, untilToken } from "./debt-table.ts";
import { debtWithTokenIn, type Rate } from "./gcra.ts";

/** 0: go on. Otherwise nothing is left, and one token is back after so many milliseconds. */
export type BudgetAnswer = (waitMs: number) => void;

/** Contract, "Failure-budget rules". Addresses are keys, see `addressKey`. */
export interface FailureBudget {
  /** Nobody owes anything: whoever calls now may be evaluated, and need not be asked for. */
  readonly clear: boolean;
  /** Before an evaluation; at once, but while a failure of the same address is being booked. */
  admit(addressKey: string, answer: BudgetAnswer): void;
  /** Takes one token. */
  spend(addressKey: string, answer: BudgetAnswer): void;
  /** Another gateway has found the budget empty. */
  learn(addressKey: string, emptyForMs: number): void;
  /** Addresses with a debt. */
  readonly size: number;
}

export type Bucket = "shared" | "local";

export interface FailureBudgetDeps {
  readonly booking: Booking;
  readonly rate: () => Rate;
  readonly now: NowUs;
  readonly maxAddresses: number;
  /** Requests that may wait for a booking; beyond it they are evaluated without. */
  readonly maxWaiting: number;
  /** Tells the other gateways. */
  readonly announce: (addressKey: string, emptyForMs: number) => void;
  readonly counted: (bucket: Bucket, result: "taken" | "empty") => void;
  /** Once while the address owes. */
  readonly onEmpty: (addressKey: string) => void;
}

interface Address extends Debtor {
  /** Failures that Redis has been asked about. */
  bookings: number;
  /** Requests that wait for them. */
  readonly line: BudgetAnswer[];
  toldEmpty: boolean;
}

function createAddress(key: string): Address {
  return { key, fullAtUs: 0, bookings: 0, line: [], toldEmpty: false };
}

function inUse({ bookings }: Address): boolean {
  return bookings > 0;
}

/** The debt of the shared bucket is never less than ours, so ours is raised to it and an empty one of ours is the truth. */
function owe(address: Address, untilUs: number): void {
  address.fullAtUs = Math.max(address.fullAtUs, untilUs);
}

/** While `middlewares.rate` is off. */
export const noFailureBudget: FailureBudget = {
  clear: true,
  size: 0,
  admit: (_addressKey, answer) => answer(0),
  spend: (_addressKey, answer) => answer(0),
  learn: () => undefined,
};

/** Requests that wait for a booking of their address, all addresses together bounded. */
function createWaitingLine(maxWaiting: number) {
  let waiting = 0;
  return {
    join: ({ line }: Address, answer: BudgetAnswer): boolean => {
      if (waiting >= maxWaiting) return false;
      waiting += 1;
      line.push(answer);
      return true;
    },
    /** An answer may make its request fail, and so begin the next booking, before it returns. */
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
 * Each gateway has a bucket of its own for each address that failed; a failure takes a token from it and then from the
 * bucket in Redis that all gateways share, and learns that one's debt. So Redis is asked for failures only, and never
 * for an address that is known to be empty. While a failure is being booked, the address's other requests wait for it:
 * however parallel they are, a gateway evaluates one guess more than there are tokens.
 */
export function createFailureBudget(deps: FailureBudgetDeps): FailureBudget {
  const { booking, rate, now, maxAddresses, maxWaiting, counted } = deps;
  const table = createDebtTable({ now, maxRows: maxAddresses, create: createAddress, inUse });
  const waitingLine = createWaitingLine(maxWaiting);
  const waitMs = (address: Address): number => untilToken(address, now(), rate()) / 1000;
  const tell = (address: Address): void => {
    if (!address.toldEmpty) deps.onEmpty(address.key);
    address.toldEmpty = true;
  };
  const settle = (address: Address, granted: boolean, answer: BudgetAnswer): void => {
    const emptyForMs = waitMs(address);
    if (emptyForMs > 0) tell(address);
    if (emptyForMs > 0 && granted && !booking.away) deps.announce(address.key, emptyForMs);
    address.bookings -= 1;
    // A refusal stays one, also when the token came back on the reply's way here.
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
      tell(address);
      answer(waitUs / 1000);
    },
    learn: (key, emptyForMs) => owe(table.open(key), now() + debtWithTokenIn(emptyForMs * 1000, rate())),
  };
}
