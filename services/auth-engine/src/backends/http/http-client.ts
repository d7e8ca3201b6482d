import { remainingMs } from "@postern/shared/platform/concurrency";
import { AppError } from "@postern/shared/platform/errors";
import { steadyClock } from "@postern/shared/platform/time";
import { Agent } from "undici";
import type { BackendContext } from "../backend.ts";
import { RefusedAccountError } from "../servers/errors.ts";
import { createHealthMonitor } from "../servers/health-monitor.ts";
import {
  createTargetSet,
  type ServerAddress,
  type ServerLog,
  type Target,
  type TargetSet,
} from "../servers/target-set.ts";
import { faultOf, headerOf, sessionOf } from "./answer.ts";
import { type Caller, createCaller } from "./caller.ts";
import {
  inTime,
  type OpenAnswer,
  type ReceivedAnswer,
  RemoteFault,
  type RemoteFaultKind,
  type RemoteRequest,
  readBody,
  type Sending,
  type Transport,
  toFault,
  untilAborted,
} from "./exchange.ts";
import type { HttpBackendSettings } from "./http-settings.ts";
import { createConnector, maxHeaderBytes } from "./http-transport.ts";

/** One server and the connections to it. */
interface RemoteServer extends ServerAddress {
  readonly transport: Transport;
  /** When it last answered anything completely. */
  answeredAtMs: number;
}

export interface HttpBackendDeps {
  readonly log: ServerLog;
  /** Identifies this engine in the list of those that have passed a request on: 12 hexadecimal digits. */
  readonly engine: string;
  /** Called for each request without a decision. */
  readonly onFault: (kind: RemoteFaultKind) => void;
  /** Creates the connections to the server at an address of the settings. It does not connect before the first request. */
  readonly transport: (url: URL) => Transport;
  /** The W3C trace context of the request in progress, if it is traced. */
  readonly traceparent?: (() => string | undefined) | undefined;
}

/** While no server may be asked, its last failure. */
function faultKindOf(thrown: unknown): RemoteFaultKind {
  if (thrown instanceof RemoteFault) return thrown.kind;
  return thrown instanceof RefusedAccountError ? "caller_refused" : "unreachable";
}

/** A token endpoint on another host than the servers has its own name, not `tls_server_name`. */
function connectorOfTokens(settings: HttpBackendSettings): ReturnType<typeof createConnector> {
  const { urls, caller, tls } = settings;
  const host = caller?.kind === "oauth" ? new URL(caller.tokenUrl).hostname : "";
  const isServer = urls.some((url) => new URL(url).hostname === host);
  return createConnector({ ...settings, tls: isServer ? tls : { ...tls, serverName: undefined } });
}

/** Faults after which another server, or another connection, may answer. */
const worthRepeating: ReadonlySet<RemoteFaultKind> = new Set(["busy", "timeout", "unreachable"]);

/**
 * Sends requests to a set of equal servers, each with a bounded pool of connections. A request is sent a second time, to another server if one
 * is usable, only if no decision can have been made or the first server does not answer. Does not connect until the first request.
 */
export class HttpClient {
  readonly #settings: HttpBackendSettings;
  readonly #onFault: HttpBackendDeps["onFault"];
  readonly #targets: TargetSet<RemoteServer>;
  readonly #monitor: ReturnType<typeof createHealthMonitor>;
  readonly #tokens: Agent;
  readonly #caller: Caller;

  /** @param probe checks a server with the request of a health check; it throws if the server cannot decide */
  constructor(
    settings: HttpBackendSettings,
    { log, onFault, transport }: HttpBackendDeps,
    probe: (send: (request: RemoteRequest) => Promise<ReceivedAnswer>) => Promise<void>,
  ) {
    this.#settings = settings;
    this.#onFault = onFault;
    const ofServers = { what: "remote", poolName: settings.name, clock: steadyClock, log } as const;
    this.#targets = createTargetSet<RemoteServer>(
      settings.urls.map((text): RemoteServer => {
        const url = new URL(text);
        return { uri: url.origin, transport: transport(url), answeredAtMs: Number.NEGATIVE_INFINITY };
      }),
      settings.breaker,
      ofServers,
    );
    this.#tokens = new Agent({ connections: 1, connect: connectorOfTokens(settings), maxHeaderSize: maxHeaderBytes });
    this.#caller = createCaller(settings.caller, this.#tokens, settings.requestTimeoutMs);
    this.#monitor = createHealthMonitor(this.#targets, steadyClock, settings, {
      probe: (target) => probe((request) => this.#read(target, request, this.#ownContext())),
      afterTick: () => undefined,
    });
  }

  /**
   * Resolves with any answer that was received completely.
   *
   * @throws AppError of kind `unavailable`
   */
  send(request: RemoteRequest, context: BackendContext): Promise<ReceivedAnswer> {
    return this.#withServer(context, (target, timeMs) => this.#read(target, request, context, timeMs));
  }

  /** Resolves when a response begins. `signal` ends it. @throws AppError of kind `unavailable` */
  open(request: RemoteRequest, context: BackendContext, signal: AbortSignal): Promise<OpenAnswer> {
    return this.#withServer(context, (target, timeMs) =>
      inTime(context, timeMs, (late) =>
        this.#noting(target, late, () =>
          this.#exchange(target, request, { signal: AbortSignal.any([late, signal]), timeMs }),
        ),
      ),
    );
  }

  /** The error of a request that no server decided. */
  undecided(thrown: unknown): AppError {
    if (thrown instanceof AppError) return thrown;
    const { name } = this.#settings;
    this.#onFault(faultKindOf(thrown));
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    const kind = thrown instanceof RemoteFault ? `${thrown.kind}: ` : "";
    return new AppError("DIRECTORY_UNAVAILABLE", { detail: `${name}: ${kind}${text}`, cause: thrown });
  }

  async close(): Promise<void> {
    await this.#monitor.close();
    const transports = this.#targets.all.map(({ address }) => address.transport.close());
    await Promise.all([this.#tokens.destroy(), ...transports]);
  }

  #ownContext(): BackendContext {
    const { requestTimeoutMs: timeMs } = this.#settings;
    return { deadline: steadyClock.now() + timeMs, signal: AbortSignal.timeout(timeMs) };
  }

  async #withServer<T>(
    context: BackendContext,
    ask: (target: Target<RemoteServer>, timeMs: number) => Promise<T>,
  ): Promise<T> {
    let failure: unknown;
    let avoided: Target<RemoteServer> | undefined;
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const target = this.#choose(avoided);
      const leftMs = remainingMs(context.deadline, steadyClock);
      if (target === undefined || leftMs === 0) break;
      const isFirstOfTwo = attempt === 0 && this.#targets.hasHealthyBeside(target);
      const timeMs = Math.min(this.#settings.requestTimeoutMs, isFirstOfTwo ? leftMs / 2 : leftMs);
      const startedMs = steadyClock.now();
      try {
        return await ask(target, timeMs);
      } catch (thrown) {
        failure = thrown;
        if (!this.#isWorthRepeating(thrown, target, startedMs)) break;
        avoided = target;
      }
    }
    throw this.undecided(failure ?? this.#targets.reason());
  }

  #choose(avoided: Target<RemoteServer> | undefined): Target<RemoteServer> | undefined {
    const order = this.#targets.toConnect(() => 0, avoided);
    return order.find(({ breaker }) => breaker.tryPass());
  }

  /**
   * A kept connection may have been closed by the server just before; any other failure needs another server. One that holds this answer alone, as
   * for an account under attack, has equals that would hold it too.
   */
  #isWorthRepeating(thrown: unknown, target: Target<RemoteServer>, startedMs: number): boolean {
    if (!(thrown instanceof RemoteFault) || !worthRepeating.has(thrown.kind)) return false;
    if (thrown.kind === "timeout" && target.address.answeredAtMs >= startedMs) return false;
    if (this.#targets.hasHealthyBeside(target)) return true;
    return thrown.kind === "unreachable" && target.breaker.state() === "closed";
  }

  #read(target: Target<RemoteServer>, request: RemoteRequest, context: BackendContext, timeMs?: number) {
    const limit = timeMs ?? this.#settings.requestTimeoutMs;
    return inTime(context, limit, (signal) =>
      this.#noting(target, signal, async (): Promise<ReceivedAnswer> => {
        const { status, headers, body } = await this.#exchange(target, request, { signal, timeMs: limit });
        return { status, headers, body: await readBody(body, this.#settings.maxResponseBytes) };
      }),
    );
  }

  /** A response that says that the server failed neither closes its breaker nor opens it: it may concern one account only. */
  async #noting<T extends Pick<ReceivedAnswer, "status">>(
    target: Target<RemoteServer>,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    const startedMs = steadyClock.now();
    try {
      const answer = await work();
      target.address.answeredAtMs = steadyClock.now();
      if (answer.status < 500) target.breaker.succeeded();
      return answer;
    } catch (thrown) {
      throw this.#noted(target, signal.aborted ? signal.reason : thrown, startedMs);
    }
  }

  /** Counts a request at its server until its response begins. */
  async #exchange(
    target: Target<RemoteServer>,
    request: RemoteRequest,
    { signal, timeMs }: Omit<Sending, "authorization">,
  ): Promise<OpenAnswer> {
    const { poolSize, queueLength } = this.#settings;
    if (target.inFlight >= poolSize + queueLength) {
      throw new AppError("DIRECTORY_OVERLOADED", {
        detail: `${target.inFlight} requests wait for ${target.address.uri}`,
      });
    }
    target.inFlight += 1;
    try {
      const { transport } = target.address;
      const credentials = (): Promise<string | undefined> => untilAborted(this.#caller.authorization(), signal);
      const authorization = await credentials();
      const answer = await transport.post(request, { authorization, signal, timeMs });
      if (!this.#isRefusal(answer)) return answer;
      await answer.discard();
      if (!this.#caller.refused(authorization)) throw this.#refused(target, answer);
      const again = await transport.post(request, { authorization: await credentials(), signal, timeMs });
      if (!this.#isRefusal(again)) return again;
      await again.discard();
      throw this.#refused(target, again);
    } finally {
      target.inFlight -= 1;
    }
  }

  /** Whether the answer is about this site's credentials, and not about the user. */
  #isRefusal(answer: Pick<ReceivedAnswer, "status" | "headers">): boolean {
    return answer.status === 401 && headerOf(answer, this.#settings.headers.status) === undefined;
  }

  /** It takes the server out of use at once: more attempts would use up this site's budget for failures there. */
  #refused(target: Target<RemoteServer>, answer: OpenAnswer): RemoteFault {
    const fault = faultOf(answer.status, sessionOf(answer, this.#settings.headers.session));
    this.#targets.noteFailure(target, new RefusedAccountError(target.address.uri, fault));
    return fault;
  }

  /**
   * Notes what a failure says about its server. An answer that is late while the server answered others, such as that for an account under
   * attack, which the other server delays, says nothing: otherwise guesses at one account would close the backend for all.
   */
  #noted(target: Target<RemoteServer>, thrown: unknown, startedMs: number): unknown {
    const error = toFault(thrown);
    if (!(error instanceof RemoteFault) || !worthRepeating.has(error.kind)) return error;
    if (error.kind === "timeout" && target.address.answeredAtMs >= startedMs) return error;
    this.#targets.noteFailure(target, error);
    return error;
  }
}
