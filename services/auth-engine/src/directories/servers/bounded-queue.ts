import { createRenewedSet } from "@postern/shared/collections";
import { AppError } from "@postern/shared/errors";
import { type Wait, watch } from "./deadline.ts";

interface Waiter<T> {
  readonly accepts: (value: T) => boolean;
  readonly settle: (value: T) => void;
  readonly fail: (error: AppError) => void;
}

/** Callers that wait for a value, first come first served, at most `capacity` of them, each with its own deadline. */
export class BoundedQueue<T> {
  readonly #capacity: number;
  readonly #waiters = createRenewedSet<Waiter<T>>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get length(): number {
    return this.#waiters.size;
  }

  /** Rejects with `DIRECTORY_OVERLOADED` at once when full, else with the wait's own error when that is over. */
  wait(wait: Wait, accepts: (value: T) => boolean): Promise<T> {
    if (this.#waiters.size >= this.#capacity) {
      return Promise.reject(
        new AppError("DIRECTORY_OVERLOADED", { detail: `${this.#waiters.size} callers wait for ${wait.waitingFor}` }),
      );
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        stop();
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter<T> = {
        accepts,
        settle: (value) => {
          leave();
          resolve(value);
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      const stop = watch(wait, waiter.fail);
      this.#waiters.add(waiter);
    });
  }

  /** Hands the value to the first who accepts it; false when nobody does. */
  offer(value: T): boolean {
    for (const waiter of this.#waiters) {
      if (!waiter.accepts(value)) continue;
      waiter.settle(value);
      return true;
    }
    return false;
  }

  failAll(error: AppError): void {
    for (const waiter of this.#waiters) waiter.fail(error);
  }
}
