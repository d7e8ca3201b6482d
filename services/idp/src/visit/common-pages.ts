import { operation, pathTo } from "@postern/shared/contracts";
import { type Caller, routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { findAsset } from "../pages/assets.ts";
import { accountPath, type LookRequest, type Pages, type Shown } from "../pages/pages.ts";
import { errorPage, loggedOutPage } from "../pages/templates/messages.ts";
import type { VisitContext } from "./context.ts";
import { registerPageRoutes, servePage } from "./page-routes.ts";
import { referenceIn, sendTo, showPage } from "./visit.ts";

/** The stylesheet, the scripts and the logo of the site or of a domain, under names that change with their content. */
export function getStatic({ assets, brands, headers }: Pages) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { url = "" } = request.raw;
    const { domain } = Object(request.query);
    const found = typeof domain === "string" ? await brands?.file(domain, url) : findAsset({ ...assets }, url);
    if (found === undefined) return reply.code(404).headers(headers.asset).send();
    const { asset, isExact } = found;
    return reply
      .headers(headers.asset)
      .header("cache-control", isExact ? "public, max-age=31536000, immutable" : "no-store")
      .type(asset.contentType)
      .send(asset.body);
  };
}

/** What belongs to no feature: static files, `GET /`, and the page after a logout, which needs no flow and no session. */
export function registerCommonPages(
  app: FastifyInstance,
  { pages, logger }: Pick<VisitContext, "pages" | "logger">,
): void {
  app.route({ ...routeOf(operation("asset")), handler: getStatic(pages) });
  app.route({ ...routeOf(operation("rootPage")), handler: async (_request, reply) => sendTo(reply, accountPath) });
  const loggedOut = servePage("loggedOutPage", async (visit) =>
    showPage(pages, visit, { page: loggedOutPage, view: { again: pathTo("registrationHome") } }),
  );
  registerPageRoutes(app, [loggedOut], { pages, logger });
}

/** The page for a browser on a path that no route serves. */
export function unknownPage(pages: Pages) {
  return (request: { id: string; caller: Caller | null; raw: Pick<LookRequest, "headers"> }): Shown => {
    const look = pages.lookOf({ path: "", query: "", language: undefined, headers: request.raw.headers });
    const view = { problem: "not_found", reference: referenceIn({ request }), href: accountPath } as const;
    return pages.show(errorPage, view, look, { status: 404 });
  };
}
