export { type Span, type SpanStart, type Tracer, traced } from "./tracer.ts";
