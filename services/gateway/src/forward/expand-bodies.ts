import { Readable } from "node:stream";
import { AppError, errorCodes } from "@postern/shared/platform/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { WireNames } from "../http/naming.ts";
import { type HttpReply, jsonReply } from "../http/reply.ts";
import type { BodyPlaces } from "../limits/concurrency.ts";
import { isCoded } from "../http/body.ts";
import type { ReadBody } from "../http/body.ts";
import { sendReply } from "../http/reply.ts";
import { methodTowardsOwner, passesBody } from "./headers.ts";
import { uploadOf } from "./upload.ts";

export interface ExpandBodiesDeps {
  readonly readBody: ReadBody;
  readonly maxBodyBytes: number;
  /** Limits how many bodies of unauthenticated callers are collected concurrently. */
  readonly strangersBodies: BodyPlaces;
  readonly names: WireNames;
}

/** Maximum size of a compressed body of an unauthenticated caller: the longest form, and some reserve. */
const strangersBodyBytes = 65_536;

function refuseForRoom(request: FastifyRequest, reply: FastifyReply, names: WireNames): void {
  const { httpStatus, publicMessage } = errorCodes.OVERLOADED;
  const headers: HttpReply["headers"] = [
    [names.session, request.id],
    ["Connection", "close"],
  ];
  sendReply(reply, jsonReply(httpStatus, headers, { error: publicMessage }));
}

/**
 * Collects and expands a body with a content coding before an owner sees it, so that the expanded size is limited in one place. All other
 * bodies are streamed. For unauthenticated callers, the size of a body and the number of concurrent bodies are small, so that endless
 * bodies cannot fill the memory.
 */
export function expandBodies(scope: FastifyInstance, deps: ExpandBodiesDeps): void {
  const { readBody, maxBodyBytes, strangersBodies, names } = deps;
  scope.addHook("preParsing", (request, reply, payload, done) => {
    const { headers } = request.raw;
    if (
      !passesBody(methodTowardsOwner(request.raw)) ||
      !isCoded(headers["content-encoding"]) ||
      request.callerMethod !== "none"
    ) {
      done(null, payload);
      return;
    }
    // The client disconnected while it waited.
    if (reply.raw.destroyed) return;
    const drop = (): void => refuseForRoom(request, reply, names);
    const body = { isArriving: () => !request.raw.complete, drop };
    if (!strangersBodies.enter(body)) {
      drop();
      return;
    }
    reply.raw.once("close", () => strangersBodies.leave(body));
    done(null, payload);
  });
  const bodyOf = async (request: FastifyRequest): Promise<Readable> => {
    if (!isCoded(request.raw.headers["content-encoding"])) return uploadOf(request.raw, maxBodyBytes);
    const maxBytes = request.callerMethod === "none" ? Math.min(strangersBodyBytes, maxBodyBytes) : maxBodyBytes;
    return Readable.from([await readBody(request.raw, maxBytes)]);
  };
  scope.addContentTypeParser("*", bodyOf);
  // No parser is run for a GET.
  scope.addHook("preHandler", async (request) => {
    if (request.method === "GET" && passesBody(methodTowardsOwner(request.raw))) request.body = await bodyOf(request);
  });
  scope.setErrorHandler((error, request, reply) => {
    if (!(error instanceof AppError) || error.row.kind !== "caller") throw error;
    const headers = [[names.session, request.id]] as const;
    sendReply(reply, jsonReply(error.row.httpStatus, headers, { error: error.publicMessage }));
  });
}
