import type { Static, TSchema } from "typebox";
import type { BusEvent, BusMethod } from "../contracts/define.ts";
import type { ErrorCode } from "../errors/codes.ts";
import type { RequestOptions } from "./client.ts";
import type { EventSubscription } from "./events.ts";
import type { BusStatus } from "./link.ts";
import type { Handler, MethodName, RawHandler } from "./methods.ts";
import type { ServeOptions, Serving } from "./server.ts";

/** Request/reply and events between the services of one installation. README.md of this folder has the guarantees. */
export interface Bus extends AsyncDisposable {
  status(): BusStatus;
  /** Readiness: false while requests would fail with BUS_DISCONNECTED. */
  isConnected(): boolean;
  /** Requests of ours without an answer yet. */
  outstanding(): number;
  /** Ends all of them with `code`: for who knows that no answer will come, so that nobody waits for the deadline. */
  failOutstanding(code: ErrorCode): void;

  /**
   * Asks one replica of the method's service.
   *
   * @throws AppError DEADLINE_EXCEEDED, REQUEST_ABORTED, BUS_NO_RESPONDERS, BUS_DISCONNECTED, BUS_BACKLOG, BUS_PAYLOAD,
   *   UPSTREAM_UNAVAILABLE (a reply that cannot be read), or the peer's own error.
   */
  request<Req extends TSchema, Rep extends TSchema>(
    method: BusMethod<Req, Rep>,
    body: Static<Req>,
    options: RequestOptions,
  ): Promise<Static<Rep>>;
  /** Answers a method as one of its service's queue group. */
  serve<Req extends TSchema, Rep extends TSchema>(
    method: BusMethod<Req, Rep>,
    handler: Handler<Req, Rep>,
    options?: ServeOptions,
  ): Serving;

  /** `request` without codec and schemas: bytes as they are. The reply is a view into a received message. */
  rawRequest(method: MethodName, body: Uint8Array, options: RequestOptions): Promise<Buffer>;
  /** `serve` without codec and schemas. */
  rawServe(method: MethodName, handler: RawHandler, options?: ServeOptions): Serving;

  /** False when the event could not be sent. Delivery is at most once: back it with state that subscribers check. */
  publish<Body extends TSchema>(event: BusEvent<Body>, body: Static<Body>): boolean;
  subscribe<Body extends TSchema>(
    event: BusEvent<Body>,
    handler: (body: Static<Body>) => Promise<void> | void,
  ): EventSubscription;

  /**
   * Resolves when NATS has taken in what was served, subscribed and published so far: from then on others reach it.
   *
   * @throws AppError BUS_DISCONNECTED when there is no connection, or it is lost meanwhile.
   */
  flush(): Promise<void>;
  /** Drains all that is served, waits for our own open requests, then closes; gives up after `withinMs` (10 s). */
  drain(withinMs?: number): Promise<void>;
  /** At once: open requests fail with BUS_DISCONNECTED. */
  close(): Promise<void>;
}
