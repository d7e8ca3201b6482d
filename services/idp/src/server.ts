import { randomUUID } from "node:crypto";
import Fastify, { type FastifyInstance } from "fastify";
import type { IdpContext } from "./context.ts";
import { requireCaller } from "./plugins/caller.ts";
import { registerPages } from "./routes/register-pages.ts";

/** The identity provider behind the gateway. Whatever did not come through it is 401; a path of nobody's is 404. */
export async function createIdp({
  settings,
  readCaller,
  pages,
}: Pick<IdpContext, "settings" | "readCaller" | "pages">): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    bodyLimit: settings.maxBodyBytes,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
  });
  app.decorateRequest("caller", null);
  app.addHook("onRequest", requireCaller(readCaller));
  if (pages !== undefined) registerPages(app, pages);
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: "not found" }));
  await app.ready();
  return app;
}
