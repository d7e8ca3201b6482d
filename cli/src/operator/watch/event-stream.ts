import { ApiError } from "../api.ts";

/** An event of a stream, as the server sent it. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

/** Longer than any event of this interface. */
const longestEvent = 1_048_576;

/** A stream that is none. */
export class BrokenStreamError extends ApiError {
  constructor(message: string) {
    super(0, message);
  }
}

function valueOf(line: string, field: string): string | undefined {
  if (!line.startsWith(`${field}:`)) return undefined;
  return line.slice(field.length + 1).replace(/^ /u, "");
}

function eventOf(block: string): StreamEvent | undefined {
  const lines = block.split("\n");
  const data = lines.flatMap((line) => valueOf(line, "data") ?? []);
  if (data.length === 0) return undefined;
  return {
    name: lines.findLast((line) => line.startsWith("event:"))?.replace(/^event: ?/u, "") ?? "message",
    data: data.join("\n"),
  };
}

/**
 * Events of `text/event-stream` (HTML standard, server-sent events), without those that have no data.
 *
 * @param onBytes called for everything that arrives, comments too
 * @throws BrokenStreamError if an event has no end
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  onBytes: () => void = () => undefined,
): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  let isInLineEnd = false;
  for await (const bytes of body) {
    onBytes();
    const text = decoder.decode(bytes, { stream: true });
    if (text === "") continue;
    // The line feed after a carriage return that ended the part before.
    const fresh = isInLineEnd && text.startsWith("\n") ? text.slice(1) : text;
    isInLineEnd = text.endsWith("\r");
    const blocks = `${rest}${fresh.replaceAll(/\r\n|\r/gu, "\n")}`.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = eventOf(block);
      if (event !== undefined) yield event;
    }
    if (rest.length > longestEvent) throw new BrokenStreamError("an event has no end");
  }
}
