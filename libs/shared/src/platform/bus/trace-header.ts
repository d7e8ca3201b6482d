import { headers, type Msg, type MsgHdrs } from "@nats-io/transport-node";
import type { Span } from "../tracing/tracer.ts";

/** Lists the traces of a message's requests as `<offset>=<traceparent>`, by their place in the message. Other versions ignore it. */
const headerName = "Postern-Traces";
const entry = /^(\d{1,3})=([0-9a-f-]{55})$/;

/** The traces of requests with consecutive ids; undefined if none of them is traced. */
export function traceHeader(requests: readonly { readonly span: Span | undefined }[]): MsgHdrs | undefined {
  const traces = requests.flatMap(({ span }, offset) => (span === undefined ? [] : [`${offset}=${span.traceparent}`]));
  if (traces.length === 0) return undefined;
  const header = headers();
  header.set(headerName, traces.join(","));
  return header;
}

/** The trace of each request, by its place in the message. */
export type TracesOfMessage = ReadonlyMap<number, string>;

/** Parses the header's value. Entries that are not valid are ignored. */
export function parseTraces(text: string): TracesOfMessage {
  const traces = new Map<number, string>();
  for (const each of text.split(",")) {
    const [, offset, traceparent] = entry.exec(each) ?? [];
    if (traceparent !== undefined) traces.set(Number(offset), traceparent);
  }
  return traces;
}

export function tracesOf(message: Pick<Msg, "headers">): TracesOfMessage | undefined {
  const text = message.headers?.get(headerName);
  return text === undefined || text === "" ? undefined : parseTraces(text);
}
