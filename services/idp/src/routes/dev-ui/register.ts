import { operation } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import type { Pages } from "../../pages/pages.ts";
import { getDeveloperUi } from "./get-developer-ui.ts";
import { getRender } from "./get-render.ts";
import { getVersion } from "./get-version.ts";

export interface DevUiDeps {
  readonly pages: Pages;
  /** `runtime.developer_mode` */
  readonly enabled: boolean;
  /** Differs for each process and branding, so that a browser knows when to reload. */
  readonly version: string;
}

/** The developer UI: every page with sample data, in every language. 403 outside developer mode. */
export function registerDevUi(app: FastifyInstance, { pages, enabled, version }: DevUiDeps): void {
  app.register(async (scope) => {
    scope.addHook("onRequest", async (_request, reply) => {
      if (!enabled) return reply.code(403).send({ error: "developer mode is disabled" });
      return undefined;
    });
    scope.route({ ...routeOf(operation("developerUi")), handler: getDeveloperUi(pages) });
    scope.route({ ...routeOf(operation("developerUiVersion")), handler: getVersion(version) });
    scope.route({ ...routeOf(operation("renderTemplate")), handler: getRender(pages) });
    scope.route({ ...routeOf(operation("renderTemplateInLanguage")), handler: getRender(pages) });
  });
}
