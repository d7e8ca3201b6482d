import type { FastifyInstance } from "fastify";
import type { Pages } from "../pages/pages.ts";

/** The stylesheet, the script and the logo, under names that change with them. */
export function registerStatic(app: FastifyInstance, { assets, headers }: Pages): void {
  app.get("/static/*", async (request, reply) => {
    const found = assets.find(request.raw.url ?? "");
    if (found === undefined) return reply.code(404).headers(headers.asset).send();
    const { asset, isExact } = found;
    return reply
      .headers(headers.asset)
      .header("cache-control", isExact ? "public, max-age=31536000, immutable" : "no-store")
      .type(asset.contentType)
      .send(asset.body);
  });
}
