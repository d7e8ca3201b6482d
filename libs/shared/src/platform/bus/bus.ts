import type { Static, TSchema } from "typebox";
import type { BusEvent, BusMethod } from "../../contracts/define.ts";
import type { ErrorCode } from "../errors/codes.ts";
import type { RequestOptions } from "./client.ts";
import type { EventSubscription } from "./events.ts";
import type { BusStatus } from "./link.ts";
import type { Handler, RawHandler } from "./methods.ts";
import type { LiveReplicas, Replica } from "./replicas.ts";
import type { MethodName } from "./route.ts";
import type { ServeOptions, Serving } from "./server.ts";

/**
 * Request/reply and events between the services of one installation. README.md in this folder states the guarantees.
 */
export interface Bus extends AsyncDisposable {
  status(): BusStatus;
  /** For readiness: false while requests would fail with BUS_DISCONNECTED. */
  isConnected(): boolean;
  /** Whether this process runs the service, so that requests to it are answered without NATS. */
  hasLocal(service: string): boolean;
  /** Whether an event has a way to its subscribers: over NATS, or in this process. */
  canPublish(): boolean;
  /** How often this process has connected. */
  connections(): number;
  /** Whether it is connected and knows another server of the cluster. */
  canMove(): boolean;
  /** Moves to another server of the cluster, if it can, and logs why. Requests that are made in the meantime wait for that server. */
  move(reason: string): void;
  /** Number of own requests that have not been answered yet. */
  outstanding(): number;
  /**
   * Fails all outstanding requests with `code`, so that they do not wait for their deadlines when no answer will come.
   */
  failOutstanding(code: ErrorCode): void;
  /**
   * From now on sends each batch of requests for `service` to one of its live replicas, of two chosen at random to the one with fewer
   * requests of this process.
   */
  balance(service: string, replicas: LiveReplicas): void;
  /**
   * Sends unanswered requests of repeatable methods to another live replica: those sent to `silent` replicas, at most twice, and those that
   * may be lost because a connection was. They keep their id and their deadline, and the first reply ends them. Requests of any method that
   * no replica has received go to a live one, or to the queue group if none is expected.
   */
  resend(silent: readonly Replica[]): void;
  /** The replica has lost a connection, and requests sent to it so far, or its replies, with it. */
  reconnected(replica: Replica): void;

  /**
   * Sends a request to one replica of the method's service.
   *
   * @throws AppError DEADLINE_EXCEEDED, REQUEST_ABORTED, BUS_NO_RESPONDERS, BUS_DISCONNECTED, BUS_BACKLOG, BUS_PAYLOAD,
   * UPSTREAM_UNAVAILABLE (a reply that cannot be decoded), or the peer's own error.
   */
  request<Req extends TSchema, Rep extends TSchema>(
    method: BusMethod<Req, Rep>,
    body: Static<Req>,
    options: RequestOptions,
  ): Promise<Static<Rep>>;
  /** Serves a method as a member of its service's queue group, with `instance` also on its own subject. */
  serve<Req extends TSchema, Rep extends TSchema>(
    method: BusMethod<Req, Rep>,
    handler: Handler<Req, Rep>,
    options?: ServeOptions,
  ): Serving;

  /** `request` without codec and schemas, on raw bytes. The reply is a view into a received message. */
  rawRequest(method: MethodName, body: Uint8Array, options: RequestOptions): Promise<Buffer>;
  /** `serve` without codec and schemas. */
  rawServe(method: MethodName, handler: RawHandler, options?: ServeOptions): Serving;

  /**
   * Returns false if the event could not be sent. Delivery is at most once: back it with state that subscribers check.
   */
  publish<Body extends TSchema>(event: BusEvent<Body>, body: Static<Body>): boolean;
  subscribe<Body extends TSchema>(
    event: BusEvent<Body>,
    handler: (body: Static<Body>) => Promise<void> | void,
  ): EventSubscription;

  /**
   * Resolves once NATS has processed everything served, subscribed and published so far, so that other processes reach it.
   *
   * @throws AppError BUS_DISCONNECTED without a connection, or when it is lost before NATS has answered.
   */
  flush(): Promise<void>;
  /** Drains all served methods, waits for own open requests, then closes; gives up after `withinMs` (10 s). */
  drain(withinMs?: number): Promise<void>;
  /** Closes immediately: open requests fail with BUS_DISCONNECTED. */
  close(): Promise<void>;
}
