import { randomUUID } from "node:crypto";
import Fastify, { type FastifyInstance } from "fastify";
import type { IdpContext } from "./context.ts";
import { getOpenapi } from "./routes/openapi/get-openapi.ts";

/** The identity provider behind the gateway. Whatever did not come through it is 401; a path of nobody's is 404. */
export async function createIdp({
  settings,
  readCaller,
  openapi,
}: Pick<IdpContext, "settings" | "readCaller" | "openapi">): Promise<FastifyInstance> {
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
  for (const format of ["yaml", "json"] as const) {
    app.get(`/.well-known/openapi.${format}`, getOpenapi(openapi, format));
  }
  await app.ready();
  return app;
}
