import { operation } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyError, FastifyInstance } from "fastify";
import { autodiscoverError } from "../../mail-clients/autodiscover-response.ts";
import type { MailClientDeps } from "./deps.ts";
import { getAgentConfiguration } from "./get-agent-configuration.ts";
import { getAutoconfig } from "./get-autoconfig.ts";
import { getProfile } from "./get-profile.ts";
import { postAutodiscover } from "./post-autodiscover.ts";

/** Clients do not agree on a content type, so every body is read as bytes. A body above the limit is malformed. */
function registerAutodiscover(app: FastifyInstance, deps: MailClientDeps): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, async (_request: unknown, body: Buffer) => body);
    scope.setErrorHandler((error: FastifyError, request, reply) => {
      if ((error.statusCode ?? 500) >= 500) throw error;
      deps.metrics.requested("autodiscover", "refused");
      deps.logger.info({ session: request.caller?.session, reason: error.message }, "Autodiscover request refused");
      return reply.code(400).type("text/xml; charset=utf-8").send(autodiscoverError("malformed", deps.nowMs()));
    });
    scope.route({ ...routeOf(operation("autodiscover")), handler: postAutodiscover(deps) });
  });
}

/** The documents by which mail clients find their settings. */
export function registerMailClients(app: FastifyInstance, deps: MailClientDeps): void {
  app.route({ ...routeOf(operation("wellKnownAutoconfig")), handler: getAutoconfig(deps) });
  app.route({ ...routeOf(operation("autoconfig")), handler: getAutoconfig(deps) });
  app.route({ ...routeOf(operation("userAgentConfiguration")), handler: getAgentConfiguration(deps) });
  app.route({ ...routeOf(operation("mailProfile")), handler: getProfile(deps) });
  registerAutodiscover(app, deps);
}
