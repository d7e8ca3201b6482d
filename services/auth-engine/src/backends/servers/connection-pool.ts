import { throwIfOver, type Wait } from "@postern/shared/platform/concurrency";
import { AppError } from "@postern/shared/platform/errors";
import type { CallContext } from "../../pipeline/attempt.ts";
import { BoundedQueue } from "./bounded-queue.ts";
import {
  answerOf,
  begin,
  type ConnectionPoolOptions,
  isLessLoaded,
  isUsable,
  Patience,
  type PooledConnection,
  type Slot,
  untilSettled,
  type WaitLonger,
  type Work,
} from "./connection-pool-options.ts";
import { backendUnavailable, RefusedAccountError } from "./errors.ts";
import type { ServerAddress, Target } from "./target-set.ts";

/**
 * At most `size` connections over all targets, opened on demand. A lost connection frees its place for a new one.
 * Requests do not own the opening of a connection: they queue for the first free place, so a slow server delays no
 * request that another could answer.
 */
export class ConnectionPool<Connection extends PooledConnection, Address extends ServerAddress> {
  readonly #options: ConnectionPoolOptions<Connection, Address>;
  readonly #patience: Patience<Address>;
  readonly #queue: BoundedQueue<Slot<Connection, Address>>;
  readonly #slots = new Set<Slot<Connection, Address>>();
  /** Connections of each target that are open or being opened. */
  readonly #counts = new Map<Target<Address>, number>();
  #opening = 0;
  #onEmpty: (() => void) | undefined;
  #isClosed = false;

  constructor(options: ConnectionPoolOptions<Connection, Address>) {
    this.#options = options;
    this.#patience = new Patience(options);
    this.#queue = new BoundedQueue(options.queueLength);
  }

  /**
   * Runs one operation. If the connection turns out to be dead before the server answered, the operation is retried once, on another server if
   * possible; after a timeout, or if the server is slow, it is retried on another server only. A slow server may still answer: if the
   * other one fails, or has no connection, the answer of the slow one counts.
   */
  async run<T>(work: Work<Connection, T>, context: CallContext): Promise<T> {
    const { clock, label: waitingFor, targets, classify } = this.#options;
    const wait: Wait = { context, clock, waitingFor };
    const slot = await this.#acquire(wait);
    let late: Promise<T> | undefined;
    try {
      return await this.#perform(slot, work, wait, (answer) => void (late = answer));
    } catch (error) {
      if (classify(error) === "answer") throw error;
      const isWorthwhile = (classify(error) === "lost" && !slot.wentSilent) || targets.hasHealthyBeside(slot.target);
      if (!isWorthwhile || this.#isClosed) return late ?? Promise.reject(this.#failure(slot, error));
      return late === undefined ? this.#again(slot.target, work, wait) : this.#beside(slot.target, work, wait, late);
    }
  }

  snapshot() {
    const inFlight = [...this.#slots].reduce((sum, slot) => sum + slot.inFlight, 0);
    return { connections: this.#slots.size, opening: this.#opening, inFlight, waiting: this.#queue.length };
  }

  /** Closes one connection of a crowded target in favour of one with fewer than its share. */
  rebalance(): void {
    this.#openIdle();
    const usable = this.#options.targets.usable();
    const share = Math.floor(this.#options.size / Math.max(1, usable.length));
    const poor = usable.find((target) => this.#count(target) < share);
    if (poor === undefined || this.#slots.size + this.#opening < this.#options.size) return;
    const crowded = usable.find((target) => this.#count(target) > share);
    const spare = this.#slots.values().find((slot) => slot.target === crowded && !slot.isRetiring);
    if (spare !== undefined) this.#retire(spare);
  }

  /** Waiting callers get an error; operations in progress end within their time limit. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#queue.failAll(new AppError("SHUTTING_DOWN"));
    for (const slot of this.#slots) this.#retire(slot);
    if (this.#slots.size + this.#opening === 0) return;
    await new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
  }

  async #again<T>(avoided: Target<Address>, work: Work<Connection, T>, wait: Wait): Promise<T> {
    const slot = await this.#acquire(wait, avoided);
    return this.#perform(slot, work, wait).catch((error: unknown) => Promise.reject(this.#failure(slot, error)));
  }

  async #beside<T>(slow: Target<Address>, work: Work<Connection, T>, wait: Wait, late: Promise<T>): Promise<T> {
    const slot = await untilSettled(late, wait, async (shorter) => this.#acquire(shorter, slow));
    if (slot === undefined) return late;
    if (slot.target === slow) {
      this.#release(slot);
      return late;
    }
    const { classify } = this.#options;
    return this.#perform(slot, work, wait).catch((error) =>
      classify(error) === "answer" ? Promise.reject(error) : late,
    );
  }

  #acquire(wait: Wait, avoided?: Target<Address>): Slot<Connection, Address> | Promise<Slot<Connection, Address>> {
    throwIfOver(wait.context, wait.clock, wait.waitingFor);
    if (this.#isClosed) throw new AppError("SHUTTING_DOWN");
    const slot = this.#pick(avoided);
    if (slot === undefined) {
      const waited = this.#queue.wait(wait, (offered) => this.#isAcceptable(offered, avoided));
      this.#grow(avoided);
      return waited;
    }
    // Busy connections mean that another one is worth opening; this request does not wait for it.
    if (slot.inFlight > 0 && this.#opening === 0 && this.#hasRoom()) void this.#openSlot();
    this.#occupy(slot);
    return slot;
  }

  #isAcceptable(slot: Slot<Connection, Address>, avoided: Target<Address> | undefined): boolean {
    return slot.target !== avoided || !this.#options.targets.hasHealthyBeside(slot.target);
  }

  #pick(avoided: Target<Address> | undefined): Slot<Connection, Address> | undefined {
    let best: Slot<Connection, Address> | undefined;
    for (const slot of this.#slots) {
      if (!isUsable(slot, this.#options.capacity) || !this.#isAcceptable(slot, avoided)) continue;
      if (best === undefined || isLessLoaded(slot, best)) best = slot;
    }
    return best;
  }

  #occupy(slot: Slot<Connection, Address>): void {
    slot.inFlight += 1;
    slot.target.inFlight += 1;
  }

  #perform<T>(slot: Slot<Connection, Address>, work: Work<Connection, T>, wait: Wait, waitLonger?: WaitLonger<T>) {
    const { breaker } = slot.target;
    return answerOf(begin(work, slot.connection), {
      wait,
      startPatience: waitLonger && ((onSlow) => this.#patience.forAnswer(slot.target, wait, onSlow)),
      waitLonger,
      onAnswer: () => {
        breaker.succeeded();
        this.#release(slot);
      },
      onFailure: (error) => {
        this.#noteFailure(slot, error);
        this.#release(slot);
        return this.#failure(slot, error);
      },
    });
  }

  #failure({ target }: Slot<Connection, Address>, error: unknown): unknown {
    const { classify, label } = this.#options;
    return classify(error) === "answer" ? error : backendUnavailable(`${label} to ${target.address.uri}`, error);
  }

  #noteFailure(slot: Slot<Connection, Address>, error: unknown): void {
    const kind = this.#options.classify(error);
    if (kind === "answer") {
      slot.target.breaker.succeeded();
    } else if (kind === "refused" || !slot.isRetiring) {
      this.#options.targets.noteFailure(slot.target, error);
    }
    // A lost connection counts as one failure of its server, however many operations it ends.
    if (kind === "lost" || kind === "timeout") slot.isRetiring = true;
    if (kind === "timeout") slot.wentSilent = true;
  }

  #release(slot: Slot<Connection, Address>): void {
    slot.inFlight -= 1;
    slot.target.inFlight -= 1;
    if (slot.isRetiring || this.#isClosed) this.#retire(slot);
    else this.#offer(slot);
  }

  #offer(slot: Slot<Connection, Address>): void {
    while (this.#queue.length > 0 && isUsable(slot, this.#options.capacity) && this.#queue.offer(slot))
      this.#occupy(slot);
  }

  #retire(slot: Slot<Connection, Address>): void {
    slot.isRetiring = true;
    if (slot.inFlight === 0) slot.connection.close();
  }

  #count(target: Target<Address>): number {
    return this.#counts.get(target) ?? 0;
  }

  #hasRoom(): boolean {
    return this.#slots.size + this.#opening < this.#options.size;
  }

  /** Opens as many as the waiting callers can use, counted in advance because an opening may end immediately. */
  #grow(avoided?: Target<Address>): void {
    const { size, capacity } = this.#options;
    if (!this.#hasRoom()) this.#evictUnusable();
    const room = size - this.#slots.size - this.#opening;
    const wanted = Math.ceil(this.#queue.length / capacity) - this.#opening;
    for (let left = Math.min(room, wanted); left > 0; left -= 1) void this.#openSlot(avoided);
  }

  // A failing server is left to its health checks.
  #openIdle(): void {
    const { idleSize = 0, targets } = this.#options;
    if (this.#isClosed || this.#opening > 0 || !this.#hasRoom() || this.#slots.size >= idleSize) return;
    if (targets.usable().some(({ lastError }) => lastError === undefined)) void this.#openSlot();
  }

  /** Idle connections to a server with an open breaker must not keep others out. */
  #evictUnusable(): void {
    const idle = this.#slots.values().find((slot) => slot.inFlight === 0 && slot.target.breaker.state() !== "closed");
    if (idle !== undefined) this.#retire(idle);
  }

  async #openSlot(avoided?: Target<Address>): Promise<void> {
    this.#opening += 1;
    let failure: unknown;
    try {
      for (const target of this.#options.targets.toConnect((target) => this.#count(target), avoided)) {
        if (this.#isClosed || this.#isRefusedFor(target) || !target.breaker.tryPass()) continue;
        const stopPatience = this.#patience.forOpening(target, () => this.#openBeside(target));
        try {
          this.#offer(await this.#openAt(target));
          return;
        } catch (error) {
          failure = error;
          this.#noteOpenFailure(target, error);
        } finally {
          stopPatience();
        }
      }
    } finally {
      this.#opening -= 1;
      this.#afterOpening(failure);
    }
  }

  #openBeside(slow: Target<Address>): void {
    if (this.#queue.length > 0 && this.#hasRoom() && !this.#isClosed) void this.#openSlot(slow);
  }

  /** Connections that are already bound keep serving, but each further bind could lock the account. */
  #isRefusedFor(target: Target<Address>): boolean {
    const { needsServiceAccount } = this.#options;
    return needsServiceAccount && target.lastError instanceof RefusedAccountError && this.#count(target) > 0;
  }

  #noteOpenFailure(target: Target<Address>, error: unknown): void {
    const { targets } = this.#options;
    if (this.#count(target) > 0) targets.noteProbeFailure(target, error);
    else targets.noteFailure(target, error);
  }

  async #openAt(target: Target<Address>): Promise<Slot<Connection, Address>> {
    this.#counts.set(target, this.#count(target) + 1);
    let slot: Slot<Connection, Address> | undefined;
    try {
      const connection = await this.#options.open(target, () => {
        if (slot !== undefined) this.#forget(slot);
      });
      if (!connection.isAlive) throw new Error("connection closed after it was opened");
      target.breaker.succeeded();
      slot = { target, connection, inFlight: 0, isRetiring: false, wentSilent: false };
      this.#slots.add(slot);
      if (this.#isClosed) this.#retire(slot);
      return slot;
    } finally {
      if (slot === undefined) this.#counts.set(target, this.#count(target) - 1);
    }
  }

  /** Without a connection open or being opened, the waiting callers get an error. */
  #afterOpening(failure: unknown): void {
    this.#settleIfEmpty();
    if (this.#queue.length === 0 || this.#opening > 0) return;
    for (const slot of this.#slots) if (slot.target.breaker.state() === "closed" && !slot.isRetiring) return;
    const cause = failure ?? this.#options.targets.reason();
    this.#queue.failAll(backendUnavailable(`no ${this.#options.label}`, cause));
  }

  #forget(slot: Slot<Connection, Address>): void {
    if (!this.#slots.delete(slot)) return;
    this.#counts.set(slot.target, this.#count(slot.target) - 1);
    this.#settleIfEmpty();
    if (!this.#isClosed && this.#queue.length > 0) this.#grow();
  }

  #settleIfEmpty(): void {
    if (this.#slots.size + this.#opening === 0) this.#onEmpty?.();
  }
}
