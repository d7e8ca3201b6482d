import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Static, TSchema } from "typebox";
import type { BusMethod } from "../../contracts/define.ts";
import { inboxPrefix } from "../../contracts/subjects.ts";
import { endsWithin } from "../concurrency/deadline.ts";
import { createDeadlines } from "../concurrency/deadlines.ts";
import { AppError, fromUnknown } from "../errors/app-error.ts";
import { type Clock, steadyClock } from "../time/clock.ts";
import type { Tracer } from "../tracing/tracer.ts";
import type { Endpoint } from "./calls.ts";
import { createRequestClient, type RequestOptions } from "./client.ts";
import { createCodec } from "./codec.ts";
import { type BusSecurity, securityOptions } from "./credentials.ts";
import { createEvents } from "./events.ts";
import { type BusStatus, createLink, type Link } from "./link.ts";
import type { BusLogger } from "./link-subscriptions.ts";
import type { LocalBus } from "./local-bus.ts";
import { createMethodTable, type Handler, type RawHandler, rawEndpoint, typedEndpoint } from "./methods.ts";
import { type BusMetrics, noMetrics } from "./metrics.ts";
import { createNoLink } from "./no-link.ts";
import { createPeerClocks } from "./peer-clocks.ts";
import { createReplySender } from "./replies.ts";
import { createRouteTable, type MethodName } from "./route.ts";
import { defaultDrainMs, type ServeOptions, type Serving, serveEndpoint } from "./server.ts";

const defaultMaxOutstanding = 16_384;
const defaultConnectWaitMs = 2000;
const pollMs = 10;

export interface ConnectBusOptions {
  /** `host:port` or `nats://host:port`; `tls://` requires TLS. Empty only with `local`, whose process is then the whole site. */
  readonly servers: readonly string[];
  /** First token of every subject; it separates installations that share a NATS server. */
  readonly namespace: string;
  /**
   * The service's name as one subject token. NATS shows it, and the inbox contains it so that permissions can refer to it.
   */
  readonly name: string;
  readonly security?: BusSecurity;
  /** Maximum number of unanswered requests; further ones fail with BUS_BACKLOG. Default 16384. */
  readonly maxOutstanding?: number | undefined;
  /**
   * Time that `connectBus` waits for the first connection, in milliseconds; after that it keeps connecting in the background. Default 2000.
   */
  readonly connectWaitMs?: number | undefined;
  /** Absent if no other service runs in this process. */
  readonly local?: LocalBus | undefined;
  readonly logger: BusLogger;
  readonly metrics?: BusMetrics | undefined;
  /** Absent: requests carry no traces, and those that arrive are ignored. */
  readonly tracer?: Tracer | undefined;
  /** The clock of deadlines, which must not step. Default: `steadyClock`. */
  readonly clock?: Clock | undefined;
  readonly onStatus?: ((status: BusStatus) => void) | undefined;
  /**
   * Called when a handler threw an unexpected error (INTERNAL) or an event handler failed. Default: log one error line.
   */
  readonly onError?: ((error: AppError, subject: string) => void) | undefined;
}

/**
 * Creates a bus. Resolves once connected, or unconnected after `connectWaitMs`, and then reconnects without limit: `isConnected()` reports
 * readiness. Methods and subscriptions that are registered before the connection start with it.
 */
export async function connectBus(options: ConnectBusOptions): Promise<Bus> {
  const { logger, local, security, connectWaitMs = defaultConnectWaitMs } = options;
  if (options.servers.length === 0) return createBus(createParts(createNoLink(), options), options);
  local?.watchLoop();
  const { servers, name } = options;
  const link = createLink({ servers: [...servers], name, ...(security && securityOptions(security)) }, logger);
  const connected = Promise.withResolvers<void>();
  link.onStatus((status) => {
    if (status === "connected") connected.resolve();
    options.onStatus?.(status);
  });
  const bus = createBus(createParts(link, options), options);
  await endsWithin(connected.promise, connectWaitMs);
  return bus;
}

type BusParts = ReturnType<typeof createParts>;

function createParts(link: Link, options: ConnectBusOptions) {
  const { namespace, name, logger, metrics = noMetrics, clock = steadyClock, tracer, local } = options;
  const { maxOutstanding = defaultMaxOutstanding } = options;
  const logError = (error: AppError, subject: string): void =>
    logger.error({ err: error, subject }, "bus handler failed");
  const { onError = logError } = options;
  const codec = createCodec();
  const deadlines = local?.deadlines ?? createDeadlines();
  // That of the client library loads Web Crypto, which nothing else needs before the first decision.
  const inbox = `${inboxPrefix(namespace, name)}.${randomBytes(11).toString("hex")}`;
  const replies = createReplySender(link, clock, metrics);
  const peerClocks = createPeerClocks(clock);
  const servings = new Set<Serving>();
  const common = { link, deadlines, clock, codec, metrics, tracer, local };
  return {
    link,
    client: createRequestClient({ ...common, inbox, maxOutstanding }),
    events: createEvents({ link, namespace, codec, metrics, onError, local }),
    codec,
    serve: (endpoint: Endpoint, serveOptions: ServeOptions = {}): Serving => {
      const serving = serveEndpoint({ ...common, replies, onError, peerClocks }, endpoint, serveOptions);
      servings.add(serving);
      return serving;
    },
    servings,
    /** Moves to another server of the cluster, if it can, and logs why. Requests that are made in the meantime wait for that server. */
    move: (reason: string): void => {
      if (!link.canMove()) return;
      logger.warn({ reason }, "bus connection moves to another server");
      metrics.counted("moved");
      link.move();
    },
  };
}

function createMethods({ client, codec, serve }: BusParts, { namespace, servers, local }: ConnectBusOptions) {
  const routeOf = createRouteTable(namespace);
  const methodOf = createMethodTable(routeOf, codec);
  return {
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
    ): Promise<Static<Rep>> {
      const { route, decodeReply } = methodOf(method);
      const endpoint = local?.endpoint(route.subject);
      if (endpoint !== undefined && !client.sendsElsewhere(route, endpoint))
        return client.call(endpoint, { route, decode: decodeReply, value: body }, options);
      if (servers.length === 0) return client.refuse(new AppError("BUS_NO_RESPONDERS"));
      try {
        return client.submit({ route, body: codec.encode(body), decode: decodeReply }, options);
      } catch (thrown) {
        return Promise.reject(fromUnknown(thrown));
      }
    },
    /** Serves a method as a member of its service's queue group, with `instance` also on its own subject. */
    serve<Req extends TSchema, Rep extends TSchema>(
      method: BusMethod<Req, Rep>,
      handler: Handler<Req, Rep>,
      options?: ServeOptions,
    ): Serving {
      return serve(typedEndpoint(routeOf(method), method, handler, { codec, local }), options);
    },
    /** `request` without codec and schemas, on raw bytes. The reply is a view into a received message. */
    rawRequest(method: MethodName, body: Uint8Array, options: RequestOptions): Promise<Buffer> {
      return client.submit({ route: routeOf(method), body, decode: sameBytes }, options);
    },
    /** `serve` without codec and schemas. */
    rawServe(method: MethodName, handler: RawHandler, options?: ServeOptions): Serving {
      return serve(rawEndpoint(routeOf(method), handler), options);
    },
  };
}

function createBus(parts: BusParts, options: ConnectBusOptions) {
  const { link, client, events, move } = parts;
  const { local } = options;
  /** Closes immediately: open requests fail with BUS_DISCONNECTED. */
  const close = async (): Promise<void> => {
    client.failAll("BUS_DISCONNECTED");
    await link.close();
  };
  return {
    ...createMethods(parts, options),
    ...events,
    status: link.status,
    /** For readiness: false while requests would fail with BUS_DISCONNECTED. */
    isConnected: link.isConnected,
    connections: link.connections,
    canMove: link.canMove,
    move,
    outstanding: client.outstanding,
    failOutstanding: client.failAll,
    balance: client.balance,
    resend: client.resend,
    reconnected: client.reconnected,
    /** Whether this process runs the service, so that requests to it are answered without NATS. */
    hasLocal: (service: string): boolean => local?.services.has(service) === true,
    /** Whether an event has a way to its subscribers: over NATS, or in this process. */
    canPublish: (): boolean => link.isConnected() || local !== undefined,
    /**
     * Resolves once NATS has processed everything served, subscribed and published so far, so that other processes reach it.
     *
     * @throws AppError BUS_DISCONNECTED without a connection, or when it is lost before NATS has answered.
     */
    flush: (): Promise<void> => flushLink(link),
    /** Drains all served methods, waits for own open requests, then closes; gives up after `withinMs` (10 s). */
    drain: async (withinMs = defaultDrainMs): Promise<void> => {
      await endsWithin(settleAll(parts, withinMs), withinMs);
      await close();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Request/reply and events between the services of one installation. README.md in this folder states the guarantees.
 */
export type Bus = ReturnType<typeof createBus>;

async function flushLink(link: Link): Promise<void> {
  if (!link.isConnected()) throw new AppError("BUS_DISCONNECTED");
  try {
    await link.flush();
  } catch (cause) {
    throw new AppError("BUS_DISCONNECTED", { cause });
  }
}

const sameBytes = (body: Buffer): Buffer => body;

/** The order matters: a handler that is finishing may still send requests. */
async function settleAll({ link, client, servings }: BusParts, withinMs: number): Promise<void> {
  const untilMs = performance.now() + withinMs;
  await Promise.all([...servings].map((serving) => serving.drain(withinMs)));
  while (client.outstanding() > 0 && performance.now() < untilMs) await delay(pollMs);
  if (link.isConnected()) await link.flush();
}
