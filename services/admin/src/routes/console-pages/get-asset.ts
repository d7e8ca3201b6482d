import { createSecurityHeaders } from "@postern/shared/platform/pages";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ConsolePagesDeps } from "./deps.ts";

const yearSeconds = 365 * 86_400;

/** `GET /console/assets/{asset}`: a name of another version gets this version's file, not to be cached. */
export function getAsset({ style, origin }: Pick<ConsolePagesDeps, "style" | "origin">) {
  const { asset: headers } = createSecurityHeaders(origin);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const cache = request.url === style.path ? `public, max-age=${yearSeconds}, immutable` : "no-store";
    return reply
      .headers({ ...headers, "cache-control": cache, "content-type": "text/css; charset=utf-8" })
      .send(style.body);
  };
}
