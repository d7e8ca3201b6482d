import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { AppError, errorCodes } from "@postern/shared/platform/errors";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isCoded } from "../http/body.ts";
import { sendError } from "../http/reply.ts";
import type { ForwardDeps } from "./context.ts";
import { forwardedMethod, passesBody } from "./headers.ts";
import { findInCauses } from "./service-agent.ts";

/** Why a client's body did not reach the service behind its path: an outage of no service. */
class UploadError extends Error {
  override readonly name = "UploadError";
  readonly reason: "too-large" | "broken";

  constructor(reason: UploadError["reason"], cause?: unknown) {
    super(reason === "too-large" ? "the body is too large" : "the client's connection ended within the body", {
      cause,
    });
    this.reason = reason;
  }
}

/** The library wraps errors of a body like those of a connection. */
export function uploadError(error: unknown): UploadError | undefined {
  return findInCauses(error, (one) => (one instanceof UploadError ? one : undefined));
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

/** Maximum size of a compressed body of an unauthenticated caller: the longest form, and some reserve. */
const strangersBodyBytes = 65_536;

/**
 * Collects and expands a body with a content coding before a service sees it, so that the expanded size is limited in one place. All other
 * bodies are streamed, and a service may answer before their end; they fail with an `UploadError`. For unauthenticated callers, the size of
 * a body and the number of concurrent bodies are small, so that endless bodies cannot fill the memory.
 */
export function expandBodies(
  scope: FastifyInstance,
  { readBody, settings, strangersBodies, names }: ForwardDeps,
): void {
  const { maxBodyBytes } = settings;
  scope.addHook("preParsing", (request, reply, payload, done) => {
    if (
      !passesBody(forwardedMethod(request.raw)) ||
      !isCoded(request.raw.headers["content-encoding"]) ||
      request.callerMethod !== "none"
    ) {
      done(null, payload);
      return;
    }
    // The client disconnected while it waited.
    if (reply.raw.destroyed) return;
    const { httpStatus: status, publicMessage: error } = errorCodes.OVERLOADED;
    const drop = (): void => sendError(reply, names, { status, error, headers: [["Connection", "close"]] });
    const body = { isArriving: () => !request.raw.complete, drop };
    if (!strangersBodies.enter(body)) {
      drop();
      return;
    }
    reply.raw.once("close", () => strangersBodies.leave(body));
    done(null, payload);
  });
  const bodyOf = async ({ raw, callerMethod }: FastifyRequest): Promise<Readable> => {
    if (!isCoded(raw.headers["content-encoding"]))
      return Readable.from(chunksOf(raw, maxBodyBytes), { objectMode: false });
    const maxBytes = callerMethod === "none" ? Math.min(strangersBodyBytes, maxBodyBytes) : maxBodyBytes;
    return Readable.from([await readBody(raw, maxBytes)]);
  };
  scope.addContentTypeParser("*", bodyOf);
  // No parser is run for a GET.
  scope.addHook("preHandler", async (request) => {
    if (request.method === "GET" && passesBody(forwardedMethod(request.raw))) request.body = await bodyOf(request);
  });
  scope.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof AppError) || error.row.kind !== "caller") throw error;
    sendError(reply, names, { status: error.row.httpStatus, error: error.publicMessage });
  });
}
