import { operation, pathTo } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { developerPage } from "../../dev-ui/developer-page.ts";
import { findPage } from "../../dev-ui/find-page.ts";
import type { Pages } from "../../pages/pages.ts";
import { sendShown } from "../visit.ts";

export interface DevUiDeps {
  readonly pages: Pages;
  /** `runtime.developer_mode` */
  readonly enabled: boolean;
  /** Differs for each process and branding, so that a browser knows when to reload. */
  readonly version: string;
}

const base = pathTo("developerUi");

function parameter({ params }: FastifyRequest, name: string): string | undefined {
  const value: unknown = typeof params === "object" && params !== null ? Reflect.get(params, name) : undefined;
  return typeof value === "string" ? value : undefined;
}

/** The developer UI: every page with sample data, in every language. 403 outside developer mode. */
export function registerDevUi(app: FastifyInstance, { pages, enabled, version }: DevUiDeps): void {
  const render = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const tag = parameter(request, "languageTag");
    const language = tag === undefined ? undefined : pages.languageOf(tag);
    const page = findPage(parameter(request, "template") ?? "");
    if (page === undefined || (tag !== undefined && language === undefined)) {
      return reply.code(404).send({ error: "template unknown" });
    }
    const path = pathTo("renderTemplate", { template: page.name });
    const look = pages.lookOf({ path, query: "", language, headers: request.headers });
    // Always 200, because the page's own status does not matter in a preview.
    return sendShown(reply, { ...page.preview(pages, look), status: 200 });
  };
  app.register(async (scope) => {
    scope.addHook("onRequest", async (_request, reply) => {
      if (!enabled) return reply.code(403).send({ error: "developer mode is disabled" });
      return undefined;
    });
    scope.route({
      ...routeOf(operation("developerUi")),
      handler: async (_request, reply) => sendShown(reply, developerPage(pages, base)),
    });
    scope.route({
      ...routeOf(operation("developerUiVersion")),
      handler: async (_request, reply) => reply.header("cache-control", "no-store").send({ version }),
    });
    scope.route({ ...routeOf(operation("renderTemplate")), handler: render });
    scope.route({ ...routeOf(operation("renderTemplateInLanguage")), handler: render });
  });
}
