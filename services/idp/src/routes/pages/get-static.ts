import type { FastifyReply, FastifyRequest } from "fastify";
import type { Pages } from "../../pages/pages.ts";

/** The stylesheet, the scripts and the logo, under names that change with their content. */
export function getStatic({ assets, headers }: Pages) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const found = assets.find(request.raw.url ?? "");
    if (found === undefined) return reply.code(404).headers(headers.asset).send();
    const { asset, isExact } = found;
    return reply
      .headers(headers.asset)
      .header("cache-control", isExact ? "public, max-age=31536000, immutable" : "no-store")
      .type(asset.contentType)
      .send(asset.body);
  };
}
