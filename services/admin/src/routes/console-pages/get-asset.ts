import { createSecurityHeaders } from "@postern/shared/platform/pages";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ConsolePagesDeps } from "./deps.ts";

const yearSeconds = 365 * 86_400;

const beginning = (path: string): string => path.slice(0, path.indexOf("."));

/** `GET /console/assets/{asset}`: a name of another version gets this version's file, not to be cached. */
export function getAsset({ assets, origin }: Pick<ConsolePagesDeps, "assets" | "origin">) {
  const { asset: headers } = createSecurityHeaders(origin);
  return async ({ url }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const found =
      assets.find(({ path }) => path === url) ?? assets.find(({ path }) => beginning(path) === beginning(url));
    if (found === undefined) return reply.code(404).header("cache-control", "no-store").send();
    const cache = found.path === url ? `public, max-age=${yearSeconds}, immutable` : "no-store";
    return reply.headers({ ...headers, "cache-control": cache, "content-type": found.type }).send(found.body);
  };
}
