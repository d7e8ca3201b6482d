import { createRenewedSet } from "@postern/shared/platform/cache";
import { type Wait, watchDeadline } from "@postern/shared/platform/concurrency";
import { AppError } from "@postern/shared/platform/errors";

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

  /** Rejects with `DIRECTORY_OVERLOADED` immediately if the queue is full, or with the wait's own error when it ends. */
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
      const stop = watchDeadline(wait, waiter.fail);
      this.#waiters.add(waiter);
    });
  }

  /** Gives the value to the first caller that accepts it. False if no caller does. */
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
