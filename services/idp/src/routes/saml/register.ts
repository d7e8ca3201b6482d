import type { FastifyInstance } from "fastify";
import { registerPageRoutes } from "../page-routes.ts";
import type { SamlRoutesDeps } from "./deps.ts";
import { getMetadata } from "./get-metadata.ts";
import { getSso } from "./get-sso.ts";
import { postSso } from "./post-sso.ts";
import { getSlo, postSlo } from "./slo.ts";

/** Contract, "Identity provider: SAML2". */
export function registerSamlRoutes(app: FastifyInstance, deps: SamlRoutesDeps): void {
  registerPageRoutes(
    app,
    [
      { method: "GET", path: "/saml/metadata", handler: getMetadata(deps) },
      { method: "GET", path: "/saml/sso", handler: getSso(deps) },
      { method: "POST", path: "/saml/sso", handler: postSso(deps) },
      { method: "GET", path: "/saml/slo", handler: getSlo(deps) },
      { method: "POST", path: "/saml/slo", handler: postSlo(deps) },
    ],
    deps,
  );
}
