import { endsWithin } from "@postern/shared/platform/concurrency";
import type { AssertionAudience } from "@postern/shared/platform/http";
import { Agent, Client, type Dispatcher, Pool } from "undici";
import { ServiceWatch } from "./service-watch.ts";

/** Why the service behind a path did not answer; label values of a metric. */
export const serviceFailures = ["silent", "refused", "timeout", "oversized", "other"] as const;
export type ServiceFailure = (typeof serviceFailures)[number];

/** The request was failed because the service behind its path does not respond at all. */
class ServiceSilentError extends Error {
  override readonly name = "ServiceSilentError";
}

const reasonOfCode: Readonly<Record<string, ServiceFailure>> = {
  UND_ERR_CONNECT_TIMEOUT: "silent",
  ECONNREFUSED: "refused",
  ENOENT: "refused",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_HEADERS_OVERFLOW: "oversized",
};

/** The library wraps its errors, some of them more than once: the first result for an error or one of its causes. */
export function findInCauses<T>(error: unknown, find: (error: Error) => T | undefined): T | undefined {
  let current = error;
  for (let depth = 0; depth < 4 && current instanceof Error; depth += 1) {
    const found = find(current);
    if (found !== undefined) return found;
    current = current.cause;
  }
  return undefined;
}

export function failureReason(error: unknown): ServiceFailure {
  const reason = findInCauses(error, (one) => {
    if (one instanceof ServiceSilentError) return "silent";
    return "code" in one ? reasonOfCode[String(one.code)] : undefined;
  });
  return reason ?? "other";
}

/**
 * Answers repeat parts of requests, such as a redirect its `state` or a preflight its origin, so the limit is above that of requests.
 */
const maxAnswerHeaderBytes = 65_536;
const connectTimeoutMs = 3500;

/**
 * Only a live machine refuses or resets a connection. A service that is shutting down does so and finishes its requests.
 */
const refusals: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ECONNRESET", "UND_ERR_SOCKET"]);

function isRefusal(error: unknown): boolean {
  return error instanceof Error && "code" in error && refusals.has(error.code);
}

export interface ServicePlace {
  /** Without a path. */
  readonly origin: string;
  /** Undefined if it listens at the origin. */
  readonly socketPath?: string | undefined;
  /** A service of this process may still be starting, while the gateway decides. */
  readonly started?: Promise<void>;
}

/** A service that takes longer to start fails like one that is unavailable. */
const startsWithinMs = 10_000;

export async function untilStarted({ started }: ServicePlace): Promise<void> {
  if (started !== undefined) await endsWithin(started, startsWithinMs);
}

/** Any answer is sufficient; without an assertion a service answers 401. */
async function askOnce({ origin, socketPath }: ServicePlace, signal: AbortSignal): Promise<void> {
  const client = new Client(origin, {
    connect: { timeout: connectTimeoutMs },
    ...(socketPath !== undefined && { socketPath }),
  });
  try {
    const { body } = await client.request({ path: "/", method: "GET", signal });
    await body.dump();
  } catch (error) {
    if (!isRefusal(error)) throw error;
  } finally {
    await client.destroy();
  }
}

/** Number of connections per probe, because replicas behind one address may each receive one. */
const connectionsOfProbe = 3;

/** Resolves at the first answer: requests are failed only if no connection is answered. */
async function probe(place: ServicePlace, signal: AbortSignal): Promise<void> {
  const enough = new AbortController();
  const either = AbortSignal.any([signal, enough.signal]);
  try {
    await Promise.any(Array.from({ length: connectionsOfProbe }, () => askOnce(place, either)));
  } finally {
    enough.abort();
  }
}

type Options<T> = Dispatcher.RequestOptions<T>;
type Data<T> = Dispatcher.ResponseData<T>;
type Answered<T> = (error: Error | null, data: Data<T>) => void;

/**
 * Connections to the services behind the gateway. No request is sent twice, because a service may have begun to process a request that it
 * does not answer.
 */
export class ServiceAgent extends Agent {
  readonly #watches: ReadonlyMap<string, ServiceWatch>;

  /**
   * @param places where each service listens
   * @param timeoutMs maximum time for a live service to begin its answer, and between two parts of it
   * @param onSilent called when requests were failed because their service does not respond at all
   */
  constructor(
    places: Readonly<Record<AssertionAudience, ServicePlace>>,
    timeoutMs: number,
    onSilent: (service: AssertionAudience, requests: number) => void,
  ) {
    super({
      connections: 64,
      pipelining: 1,
      maxHeaderSize: maxAnswerHeaderBytes,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: { timeout: connectTimeoutMs },
      factory: (origin, options: Pool.Options) => {
        const place = Object.values(places).find((one) => one.origin === String(origin));
        return new Pool(origin, {
          ...options,
          ...(place?.socketPath !== undefined && { socketPath: place.socketPath }),
        });
      },
    });
    const watchOf = (service: AssertionAudience): readonly [string, ServiceWatch] => {
      const { [service]: place } = places;
      const watch = new ServiceWatch(
        (signal) => probe(place, signal),
        () => performance.now(),
        (requests) => onSilent(service, requests),
      );
      return [place.origin, watch];
    };
    this.#watches = new Map([watchOf("admin"), watchOf("idp")]);
  }

  override request<T = null>(options: Options<T>, callback: Answered<T>): void;
  override request<T = null>(options: Options<T>): Promise<Data<T>>;
  override request<T = null>(options: Options<T>, callback?: Answered<T>): Promise<Data<T>> | undefined {
    if (callback !== undefined) {
      this.#send(options, callback);
      return undefined;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Data<T>>();
    this.#send(options, (error, data) => (error === null ? resolve(data) : reject(error)));
    return promise;
  }

  #send<T>(options: Options<T>, callback: Answered<T>): void {
    const abort = new AbortController();
    let isAbandoned = false;
    const end = this.#watches.get(String(options.origin))?.waits(() => {
      isAbandoned = true;
      const silent = new ServiceSilentError("the service behind the path does not respond");
      // The library's format of a failure: no data. Its signal does not end a request that waits for a connection.
      Reflect.apply(callback, undefined, [silent]);
      // After the answer, because this may abort a body that the client is still sending.
      setImmediate(() => abort.abort(silent));
    });
    super.request({ ...options, signal: abort.signal }, (error, data) => {
      end?.();
      if (!isAbandoned) callback(error, data);
      else if (error === null) data.body.destroy();
    });
  }

  unwatch(): void {
    for (const watch of this.#watches.values()) watch.close();
  }
}
