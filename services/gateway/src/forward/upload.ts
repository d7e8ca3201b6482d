import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

/** Why a client's body did not reach the owner of its path: an outage of no service. */
export class UploadError extends Error {
  override readonly name = "UploadError";
  readonly reason: "too-large" | "broken";

  constructor(reason: UploadError["reason"], cause?: unknown) {
    super(reason === "too-large" ? "the body is too large" : "the client's connection ended within the body", {
      cause,
    });
    this.reason = reason;
  }
}

/** The iterator leaves the request alone when it is abandoned: destroying the request would destroy the connection that waits for the answer. */
async function* chunksOf(request: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let received = 0;
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  try {
    for await (const chunk of chunks) {
      received += chunk.length;
      if (received > maxBytes) throw new UploadError("too-large");
      yield chunk;
    }
  } catch (cause) {
    throw cause instanceof UploadError ? cause : new UploadError("broken", cause);
  }
}

/** A body on its way to an owner, which may answer before its end. It fails with an `UploadError`. */
export function uploadOf(request: IncomingMessage, maxBytes: number): Readable {
  return Readable.from(chunksOf(request, maxBytes), { objectMode: false });
}

/** The library wraps errors of a body like those of a connection. */
export function uploadError(error: unknown): UploadError | undefined {
  let current = error;
  for (let depth = 0; depth < 4 && current instanceof Error; depth += 1) {
    if (current instanceof UploadError) return current;
    current = current.cause;
  }
  return undefined;
}
