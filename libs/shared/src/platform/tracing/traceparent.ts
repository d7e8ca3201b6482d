/** The parts of a W3C `traceparent` header. */
export interface Traceparent {
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
