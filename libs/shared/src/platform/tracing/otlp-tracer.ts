import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, ROOT_CONTEXT, type Span as SdkSpan, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { endsWithin } from "../concurrency/deadline.ts";
import type { Span, SpanAttributes, SpanStart, Tracer } from "./tracer.ts";

/** The parts of a W3C `traceparent` header. */
interface Traceparent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Longer headers are not read: version 00 has 55 characters, and later versions may append to it. */
const maxLength = 256;

/** Parses the header (W3C Trace Context, section 3.2); undefined if it is not valid. */
export function parseTraceparent(text: string | undefined): Traceparent | undefined {
  if (text === undefined || text.length > maxLength) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", appendix] = form.exec(text) ?? [];
  if (version === undefined || (version === "00" && appendix !== undefined)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, isSampled }: Traceparent): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

export type SpanResult = "exported" | "failed" | "dropped";

export interface OtlpSettings {
  /** URL of the receiver's endpoint for traces. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls:
    | {
        readonly ca?: Buffer | undefined;
        readonly cert?: Buffer | undefined;
        readonly key?: Buffer | undefined;
        readonly rejectUnauthorized: boolean;
      }
    | undefined;
  /** Share of traces that begin here and are sampled, 0 to 1. */
  readonly ratio: number;
  readonly service: string;
  readonly instance: string;
  readonly counted: (result: SpanResult, spans: number) => void;
  /** The receiver takes spans again, or no longer does. */
  readonly onReceiver: (takesSpans: boolean, error?: Error) => void;
}

/** Spans that wait for the receiver, at about a kilobyte each. Further ones are dropped. */
const maxWaiting = 2048;
const exportTimeoutMs = 5000;
const exportIntervalMs = 1000;
const closeMs = 1000;

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/** Bounds and counts what waits for the receiver: the library drops spans without a word. */
function createExport({ counted, onReceiver, ...settings }: OtlpSettings): SpanProcessor {
  const exporter = new OTLPTraceExporter({
    url: settings.url,
    headers: { ...settings.headers },
    timeoutMillis: exportTimeoutMs,
    ...(settings.tls !== undefined && { httpAgentOptions: { keepAlive: true, ...settings.tls } }),
  });
  let waiting = 0;
  let takesSpans = true;
  const reported: SpanExporter = {
    export(spans, done) {
      waiting -= spans.length;
      exporter.export(spans, (result) => {
        const { code }: { readonly code: number } = result;
        const isTaken = code === 0;
        counted(isTaken ? "exported" : "failed", spans.length);
        if (isTaken !== takesSpans) onReceiver(isTaken, result.error);
        takesSpans = isTaken;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  const batches = new BatchSpanProcessor({
    exporter: reported,
    maxQueueSize: maxWaiting,
    scheduledDelayMillis: exportIntervalMs,
    exportTimeoutMillis: 2 * exportTimeoutMs,
  });
  return {
    onStart: () => undefined,
    onEnd(span) {
      if (waiting >= maxWaiting) {
        counted("dropped", 1);
        return;
      }
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

class OtlpSpan implements Span {
  readonly #span: SdkSpan;

  constructor(span: SdkSpan) {
    this.#span = span;
  }

  get context(): Context {
    return trace.setSpan(ROOT_CONTEXT, this.#span);
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  get traceparent(): string {
    return formatTraceparent({ ...this.#span.spanContext(), isSampled: true });
  }

  readonly set = (attributes: SpanAttributes): void => void this.#span.setAttributes(attributes);

  readonly end = (failure?: string): void => {
    if (!this.#span.isRecording()) return;
    if (failure !== undefined) {
      this.#span.setAttributes({ "error.type": failure });
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  };
}

/** The context of a caller in another process. */
function remote(traceparent: string | undefined): Context | undefined {
  const parent = parseTraceparent(traceparent);
  if (parent === undefined) return undefined;
  const { traceId, spanId, isSampled } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: isSampled ? 1 : 0, isRemote: true });
}

/** Sends spans by OTLP over HTTP, in JSON. Loaded only if tracing is on. */
export function createOtlpTracer(settings: OtlpSettings): Tracer {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": settings.service,
      "service.instance.id": settings.instance,
    }),
    // Which of the traces that begin here are sampled is decided before they reach the library.
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [createExport(settings)],
  });
  const spans = provider.getTracer("postern");
  const current = new AsyncLocalStorage<OtlpSpan>();
  const start = ({ name, kind, attributes, startedAtMs }: SpanStart, parent: Context): OtlpSpan | undefined => {
    const options = {
      kind: kinds[kind],
      ...(attributes !== undefined && { attributes }),
      ...(startedAtMs !== undefined && { startTime: startedAtMs }),
    };
    const span = spans.startSpan(name, options, parent);
    return span.isRecording() ? new OtlpSpan(span) : undefined;
  };
  return {
    begin(describe, traceparent) {
      const parent = remote(traceparent);
      if (parent !== undefined) return start(describe(), parent);
      return Math.random() < settings.ratio ? start(describe(), ROOT_CONTEXT) : undefined;
    },
    resume(resumed, traceparent) {
      const parent = remote(traceparent);
      return parent === undefined ? undefined : start(resumed, parent);
    },
    child(below) {
      const parent = current.getStore();
      return parent === undefined ? undefined : start(below, parent.context);
    },
    active: () => current.getStore(),
    run: (span, work) => (span instanceof OtlpSpan ? current.run(span, work) : work()),
    async close() {
      const closed = provider.shutdown().catch(() => undefined);
      await endsWithin(closed, closeMs, { ref: false });
    },
  };
}
