import { operation, pathTo } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { WireNames } from "../http/naming.ts";
import { sendNotFound } from "../http/reply.ts";
import type { PublicStatusContext } from "./context.ts";
import { languageOf } from "./status-page.ts";

/** Caches may answer for this long, so that the page stays up when every customer opens it. */
const common = { "cache-control": "public, max-age=5", "x-content-type-options": "nosniff" };

type InLanguage = { readonly Params: { readonly languageTag?: string } };

/** `GET /status`: whether sign-in works, for customers. The answer depends on the language of the request only. */
function getStatus({ current, pages }: NonNullable<PublicStatusContext>, names: WireNames) {
  return async (request: FastifyRequest<InLanguage>, reply: FastifyReply): Promise<FastifyReply> => {
    const tag = languageOf(request.params.languageTag, request.raw.headers["accept-language"]);
    const page = tag === undefined ? undefined : pages.render(tag, await current());
    if (page === undefined) {
      sendNotFound(reply, names);
      return reply;
    }
    return reply.headers({ ...common, ...pages.headers, vary: "Accept-Language" }).send(page);
  };
}

/** `GET /status.json`: the same for programs, from any origin. */
function getStatusJson({ current }: NonNullable<PublicStatusContext>) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { degradedSinceMs: ms } = await current();
    const body = ms === undefined ? { status: "works" } : { status: "degraded", since: new Date(ms).toISOString() };
    return reply.headers({ ...common, "access-control-allow-origin": "*" }).send(body);
  };
}

/** Answered by the gateway, because the status must be visible while the service behind the sign-in pages is down. */
export function registerStatus(app: FastifyInstance, status: PublicStatusContext, names: WireNames): void {
  if (status === undefined) return;
  const method = ["GET", "HEAD"];
  const { inLanguage } = operation("statusPage");
  app.route({ method, url: pathTo("statusPage"), handler: getStatus(status, names) });
  if (inLanguage !== undefined) app.route({ ...routeOf(inLanguage), method, handler: getStatus(status, names) });
  app.route({ method, url: pathTo("publicStatus"), handler: getStatusJson(status) });
}
