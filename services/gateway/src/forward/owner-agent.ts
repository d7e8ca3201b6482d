import type { AssertionAudience } from "@postern/shared/platform/http";
import { Agent, Client, type Dispatcher } from "undici";
import { OwnerSilentError } from "./owner-failure.ts";
import { createOwnerWatch, type OwnerWatch } from "./owner-watch.ts";

export interface OwnerAgentOptions {
  /** The origin of each owner, without a path. */
  readonly origins: Readonly<Record<AssertionAudience, string>>;
  /** Maximum time for a live owner to begin its answer, and between two parts of it. */
  readonly timeoutMs: number;
  /** Called when requests were failed because their owner does not respond at all. */
  readonly onSilent: (owner: AssertionAudience, requests: number) => void;
}

/**
 * Answers repeat parts of requests, such as a redirect its `state` or a preflight its origin, so the limit is above that of requests.
 */
const maxAnswerHeaderBytes = 65_536;
/** Time limit for establishing a connection. */
const connectTimeoutMs = 3500;

/**
 * Only a live machine refuses or resets a connection. An owner that is shutting down does so and finishes its requests.
 */
const refusals: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ECONNRESET", "UND_ERR_SOCKET"]);

function isRefusal(error: unknown): boolean {
  return error instanceof Error && "code" in error && refusals.has(error.code);
}

/** Any answer is sufficient; without an assertion an owner answers 401. */
async function askOnce(origin: string, signal: AbortSignal): Promise<void> {
  const client = new Client(origin, { connect: { timeout: connectTimeoutMs } });
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
async function probe(origin: string, signal: AbortSignal): Promise<void> {
  const enough = new AbortController();
  const either = AbortSignal.any([signal, enough.signal]);
  try {
    await Promise.any(Array.from({ length: connectionsOfProbe }, () => askOnce(origin, either)));
  } finally {
    enough.abort();
  }
}

function watchOf(origin: string, onSilent: (requests: number) => void): OwnerWatch {
  return createOwnerWatch({ probe: (signal) => probe(origin, signal), nowMs: () => performance.now(), onSilent });
}

type Options<T> = Dispatcher.RequestOptions<T>;
type Data<T> = Dispatcher.ResponseData<T>;
type Answered<T> = (error: Error | null, data: Data<T>) => void;

/**
 * Connections to the services behind the gateway. No request is sent twice, because an owner may have begun to process a request that it
 * does not answer.
 */
export class OwnerAgent extends Agent {
  readonly #watches: ReadonlyMap<string, OwnerWatch>;

  constructor({ origins, timeoutMs, onSilent }: OwnerAgentOptions) {
    super({
      connections: 64,
      pipelining: 1,
      maxHeaderSize: maxAnswerHeaderBytes,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: { timeout: connectTimeoutMs },
    });
    this.#watches = new Map([
      [origins.admin, watchOf(origins.admin, (requests) => onSilent("admin", requests))],
      [origins.idp, watchOf(origins.idp, (requests) => onSilent("idp", requests))],
    ]);
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
      const silent = new OwnerSilentError("the service behind the path does not respond");
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
