import { randomUUID } from "node:crypto";
import Fastify, { type FastifyInstance } from "fastify";
import type { IdpContext } from "./context.ts";

/** The identity provider behind the gateway. Whatever did not come through it is 401; a path of nobody's is 404. */
export async function createIdp({
  settings,
  readCaller,
}: Pick<IdpContext, "settings" | "readCaller">): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    bodyLimit: settings.maxBodyBytes,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
  });
  app.addHook("onRequest", async (request, reply) => {
    if ((await readCaller(request.raw.headers)) === undefined) return reply.code(401).send();
    return undefined;
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: "not found" }));
  await app.ready();
  return app;
}
