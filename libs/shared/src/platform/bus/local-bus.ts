import { randomBytes } from "node:crypto";
import { createDeadlines } from "../concurrency/deadlines.ts";
import type { LocalCalls, LocalRequest } from "./local-calls.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { PendingTable } from "./pending-table.ts";

/** What this process serves on one subject. */
export interface LocalEndpoint {
  readonly calls: LocalCalls;
  /** The replica as its heartbeats name it. */
  readonly instance: string | undefined;
}

/** The table and the inbox of the sender of a request. */
type SentFrom = Pick<LocalRequest, "pending" | "inbox">;

type Receive = (body: unknown) => Promise<void>;

const tickMs = 50;
/** A timer that is this late shows that the event loop is blocked; at full load, timers are some 30 ms late. */
const lateMs = 100;
const lateForMs = 1000;

/**
 * The services of one process, as each of them sees the others: requests and events between them are calls, with the deadlines, limits,
 * errors and traces that they have over NATS.
 */
export class LocalBus {
  readonly services: ReadonlySet<string>;
  /** Marks events of this process, which it has already received when they return from NATS. */
  readonly origin = randomBytes(8).toString("hex");
  /** One timer for all deadlines of the process. */
  readonly deadlines = createDeadlines();
  /** Whether replies match their schemas, and values that cross are not changed afterwards, as NATS would make sure. For tests. */
  readonly isStrict: boolean;
  readonly #methods = new Map<string, LocalEndpoint>();
  readonly #instances = new Set<string>();
  readonly #receivers = new Map<string, Set<Receive>>();
  #calls = 0;
  #lateUntilMs = 0;
  #isWatching = false;

  constructor(services: readonly string[], isStrict: boolean) {
    this.services = new Set(services);
    this.isStrict = isStrict;
  }

  serve(subject: string, endpoint: LocalEndpoint): void {
    this.#methods.set(subject, endpoint);
    if (endpoint.instance !== undefined) this.#instances.add(endpoint.instance);
  }

  withdraw(subject: string): void {
    this.#methods.delete(subject);
  }

  endpoint(subject: string): LocalEndpoint | undefined {
    return this.#methods.get(subject);
  }

  /** Whether a replica is one of this process. */
  has(instance: string): boolean {
    return this.#instances.has(instance);
  }

  /** Handles a request, and settles it. */
  call({ calls }: LocalEndpoint, value: unknown, request: PendingRequest, pending: PendingTable): void {
    this.#calls = (this.#calls + 1) >>> 0;
    calls.call({ value, request, pending, id: this.#calls, inbox: this.origin });
  }

  /** Handles a request that another process may have received: its id stays the same, so that it is counted once. */
  callAgain(endpoint: LocalEndpoint, value: unknown, request: PendingRequest, sent: SentFrom): void {
    endpoint.calls.call({ value, request, id: request.id, ...sent });
  }

  receive(subject: string, receive: Receive): () => void {
    const receivers = this.#receivers.get(subject) ?? new Set();
    this.#receivers.set(subject, receivers.add(receive));
    return () => void receivers.delete(receive);
  }

  /** Hands an event to all who receive it in this process. Returns false without any receiver. */
  deliver(subject: string, body: unknown): boolean {
    const receivers = this.#receivers.get(subject);
    if (receivers === undefined || receivers.size === 0) return false;
    // Not before the publisher has returned, as over NATS.
    for (const receive of receivers) queueMicrotask(() => void receive(body));
    return true;
  }

  /** Measures from now on whether the event loop is late. */
  watchLoop(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    let expectedAtMs = performance.now() + tickMs;
    setInterval(() => {
      const nowMs = performance.now();
      if (nowMs - expectedAtMs > lateMs) this.#lateUntilMs = nowMs + lateForMs;
      expectedAtMs = nowMs + tickMs;
    }, tickMs).unref();
  }

  /** Whether the event loop was blocked a moment ago, so that replicas elsewhere answer sooner. */
  isLate(): boolean {
    return performance.now() < this.#lateUntilMs;
  }
}

/** Makes a value unchangeable throughout. Bytes cannot be. */
export function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFrozen(member);
  return value;
}
