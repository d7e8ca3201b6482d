import type { FastifyInstance } from "fastify";
import { registerPageRoutes, servePage } from "../page-routes.ts";
import type { SamlRoutesDeps } from "./deps.ts";
import { getMetadata } from "./get-metadata.ts";
import { getSlo } from "./get-slo.ts";
import { getSso } from "./get-sso.ts";
import { postSlo } from "./post-slo.ts";
import { postSso } from "./post-sso.ts";

/** The routes of SAML2: metadata, sign-in, logout. */
export function registerSamlRoutes(app: FastifyInstance, deps: SamlRoutesDeps): void {
  registerPageRoutes(
    app,
    [
      servePage("samlMetadata", getMetadata(deps)),
      servePage("samlSignIn", getSso(deps)),
      servePage("samlSignInPost", postSso(deps)),
      servePage("samlLogout", getSlo(deps)),
      servePage("samlLogoutPost", postSlo(deps)),
    ],
    deps,
  );
}
