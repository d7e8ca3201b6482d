import type { FastifyReply, FastifyRequest } from "fastify";
import type { WireNames } from "../../http/naming.ts";
import { notFoundReply } from "../../http/reply.ts";
import { sendReply } from "../../http/reply.ts";
import type { StatusWatch } from "../../public-status/public-status.ts";
import { languageOf, type StatusPages } from "../../public-status/status-page.ts";

/** Caches may answer for this long, so that the page stays up when every customer opens it. */
const common = { "cache-control": "public, max-age=5", "x-content-type-options": "nosniff" };

export interface StatusRouteDeps {
  readonly watch: Pick<StatusWatch, "current">;
  readonly pages: StatusPages;
  readonly names: WireNames;
}

interface InLanguage {
  readonly Params: { readonly languageTag?: string };
}

/** `GET /status`: whether sign-in works, for customers. The answer depends on the language of the request only. */
export function getStatus({ watch, pages, names }: StatusRouteDeps) {
  return async (request: FastifyRequest<InLanguage>, reply: FastifyReply): Promise<FastifyReply> => {
    const tag = languageOf(request.params.languageTag, request.raw.headers["accept-language"]);
    const page = tag === undefined ? undefined : pages.render(tag, await watch.current());
    if (page === undefined) {
      sendReply(reply, notFoundReply(names, request.id));
      return reply;
    }
    return reply.headers({ ...common, ...pages.headers, vary: "Accept-Language" }).send(page);
  };
}

/** `GET /status.json`: the same for programs, from any origin. */
export function getStatusJson({ watch }: Pick<StatusRouteDeps, "watch">) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { degradedSinceMs: ms } = await watch.current();
    const body = ms === undefined ? { status: "works" } : { status: "degraded", since: new Date(ms).toISOString() };
    return reply.headers({ ...common, "access-control-allow-origin": "*" }).send(body);
  };
}
