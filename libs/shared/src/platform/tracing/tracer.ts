/** Names that a span may carry. None of them takes a value that a user or a caller chooses, except words of closed sets. */
export type SpanAttribute =
  | "http.request.method"
  | "http.route"
  | "http.response.status_code"
  | "rpc.system.name"
  | "rpc.method"
  | "db.system.name"
  | "db.operation.name"
  | "error.type"
  | "postern.backend"
  | "postern.outcome"
  | "postern.session";

export type SpanAttributes = Readonly<Partial<Record<SpanAttribute, string | number>>>;

export interface SpanStart {
  readonly name: string;
  /** Whether it is the receiver of a request, its sender, or neither. */
  readonly kind: "server" | "client" | "internal";
  readonly attributes?: SpanAttributes;
  /** Milliseconds since the epoch, if it began earlier. */
  readonly startedAtMs?: number;
}

/** A sampled piece of work. Work that is not sampled has no span. */
export interface Span {
  readonly traceId: string;
  /** The next service on the way continues the trace by it. */
  readonly traceparent: string;
  readonly set: (attributes: SpanAttributes) => void;
  /** Ends it; the second call has no effect. `failure` is an error code, or a word of a closed set. */
  readonly end: (failure?: string) => void;
}

/** Absent from a service whose configuration turns tracing off, so that it costs one comparison. */
export interface Tracer {
  /**
   * Begins a trace, or joins the one of `traceparent`, which only a trusted caller may name. Undefined if it is not sampled; `start` is
   * called only if it is.
   */
  readonly begin: (start: () => SpanStart, traceparent: string | undefined) => Span | undefined;
  /** Continues the trace of another service of the installation; undefined without one. */
  readonly resume: (start: SpanStart, traceparent: string | undefined) => Span | undefined;
  /** A span below the active one; undefined without an active one. */
  readonly child: (start: SpanStart) => Span | undefined;
  readonly active: () => Span | undefined;
  /** Makes the span the active one for `work` and all that it starts. */
  readonly run: <T>(span: Span, work: () => T) => T;
  /** Sends what is waiting, for at most a second. */
  readonly close: () => Promise<void>;
}

/** Runs `work` in a span below the active one, if there is one. */
export async function traced<T>(
  { child, run }: Tracer,
  start: SpanStart,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const span = child(start);
  if (span === undefined) return work(undefined);
  try {
    const result = await run(span, () => work(span));
    span.end();
    return result;
  } catch (thrown) {
    span.end("error");
    throw thrown;
  }
}
