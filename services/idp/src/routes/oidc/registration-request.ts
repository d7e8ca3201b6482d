import { AppError } from "@postern/shared/platform/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import { oauthError } from "./json-reply.ts";

/** The token of a request to register, or to manage a registration. */
export function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^bearer +([^ ]+)$/i.exec(headers.authorization ?? "")?.[1];
}

/** A registration that cannot be read or written may exist: the client tries again instead of registering again. */
export function whileAvailable<Request extends FastifyRequest>(
  handle: (request: Request, reply: FastifyReply) => Promise<FastifyReply>,
  onFailure: (error: AppError) => void = () => {},
) {
  return async (request: Request, reply: FastifyReply): Promise<FastifyReply> => {
    try {
      return await handle(request, reply);
    } catch (error) {
      if (!(error instanceof AppError) || error.row.kind !== "unavailable") throw error;
      onFailure(error);
      reply.header("retry-after", "5");
      return oauthError(reply, 503, "temporarily_unavailable", "try again in a moment");
    }
  };
}
