import type { SharedBudget } from "./shared-budget-redis.ts";
import {
  type Debtor,
  DebtTable,
  debtAt,
  debtWithTokenIn,
  type Rate,
  takeToken,
  tokensIn,
  untilTokenUs,
} from "./token-buckets.ts";

/**
 * Evaluates credentials if `waitMs` is 0. Otherwise the budget is empty, and the next token is available after this many milliseconds. A
 * failure calls `spend` before the evaluation first awaits, see `admit`; only a token whose key or state must be read spends afterwards.
 */
type Evaluate<T> = (waitMs: number) => Promise<T>;

export interface FailureBudgetDeps {
  readonly shared: SharedBudget;
  readonly rate: () => Rate;
  readonly now: () => number;
  readonly maxAddresses: number;
  /** Maximum number of requests that wait for a token to be taken in Redis; further ones are evaluated without waiting. */
  readonly maxWaiting: number;
  /** Notifies the other gateways. */
  readonly announce: (addressKey: string, emptyForMs: number) => void;
  readonly counted: (bucket: "shared" | "local", result: "taken" | "empty") => void;
  /** Called once while the address has a debt. */
  readonly onEmpty: (addressKey: string) => void;
}

interface Address extends Debtor {
  /** Failures whose tokens are being taken in Redis. */
  bookings: number;
  /** Requests that wait for them. */
  readonly line: ((waitMs: number) => void)[];
  isEmptyReported: boolean;
}

function createAddress(key: string): Address {
  return { key, fullAtUs: 0, bookings: 0, line: [], isEmptyReported: false };
}

/**
 * The debt of the shared bucket is never less than ours, so ours is raised to it, and an empty local bucket is conclusive.
 */
function owe(address: Address, untilUs: number): void {
  address.fullAtUs = Math.max(address.fullAtUs, untilUs);
}

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
 * Failure budgets of API callers' addresses, which are keys, see `addressKey`.
 *
 * Each gateway has a local bucket for each address with failures. A failure takes a token from it and then from the bucket in Redis that
 * all gateways share, and adopts that one's debt. Redis is therefore called only for failures, and never for an address that is known to be
 * empty. While a token is being taken in Redis, other requests of the address wait: however many are sent in parallel, a gateway evaluates
 * at most one guess more than there are tokens.
 */
export function createFailureBudget(deps: FailureBudgetDeps) {
  const { shared, rate, now, maxAddresses, maxWaiting, counted } = deps;
  const table = new DebtTable(maxAddresses, now, createAddress, ({ bookings }) => bookings > 0);
  const waitingLine = createWaitingLine(maxWaiting);
  const debtOf = (address: Address | undefined): number => debtAt(address?.fullAtUs ?? 0, now(), rate());
  const waitMs = (address: Address): number => untilTokenUs(debtOf(address), rate()) / 1000;
  const warn = (address: Address): void => {
    if (!address.isEmptyReported) deps.onEmpty(address.key);
    address.isEmptyReported = true;
  };
  const book = async (address: Address): Promise<number> => {
    address.bookings += 1;
    const take = await shared.take(address.key, rate());
    const granted = take?.granted ?? true;
    counted(take === undefined ? "local" : "shared", granted ? "taken" : "empty");
    if (take !== undefined) owe(address, now() + take.debtUs);
    const emptyForMs = waitMs(address);
    if (emptyForMs > 0) warn(address);
    if (emptyForMs > 0 && granted && !shared.isUnavailable()) deps.announce(address.key, emptyForMs);
    address.bookings -= 1;
    waitingLine.evaluateNext(address, () => waitMs(address));
    // A rejection remains one, even if a token became available while the reply was in transit.
    return granted ? 0 : Math.max(1, emptyForMs);
  };
  return {
    /** True if no address has a debt: callers may be evaluated without calling `admit`. */
    get clear() {
      return table.clear;
    },
    get size() {
      return table.size;
    },
    /**
     * Calls `evaluate` synchronously, unless a failure of the same address is being booked. Pipelined requests arrive in one turn of the event
     * loop: if anything were awaited between admission and evaluation, all of them would be evaluated for one token.
     */
    admit: <T>(key: string, evaluate: Evaluate<T>): Promise<T> => {
      const address = table.find(key);
      if (address === undefined) return evaluate(0);
      if (address.bookings > 0 && waitingLine.hasRoom()) return waitingLine.join(address, evaluate);
      return evaluate(waitMs(address));
    },
    /** Takes one token, synchronously from the local bucket. Resolves to 0, or to the milliseconds until one is available. */
    spend: async (key: string): Promise<number> => {
      const address = table.open(key);
      const waitUs = takeToken(address, now(), rate());
      if (waitUs === 0) return book(address);
      counted("local", "empty");
      warn(address);
      return waitUs / 1000;
    },
    /** Number of whole tokens that the address has left, as far as this gateway knows. */
    left: (key: string): number => tokensIn(debtOf(table.find(key)), rate()),
    /** Another gateway has found the budget empty. */
    learn: (key: string, emptyForMs: number): void =>
      owe(table.open(key), now() + debtWithTokenIn(emptyForMs * 1000, rate())),
  };
}

export type FailureBudget = ReturnType<typeof createFailureBudget>;

/** Used while `middlewares.rate` is off. */
export const noFailureBudget: FailureBudget = {
  clear: true,
  size: 0,
  admit: (_addressKey, evaluate) => evaluate(0),
  spend: async () => 0,
  left: () => Number.POSITIVE_INFINITY,
  learn: () => undefined,
};
