import type { FastifyInstance } from "fastify";
import { registerPageRoutes, servePage, type VisitHandler } from "../visit/page-routes.ts";
import { getSlo, postSlo } from "./logout/logout-routes.ts";
import { newId } from "./protocol/names.ts";
import type { SamlRoutesDeps } from "./saml-visit.ts";
import { getSso, postSso } from "./sso/sso-routes.ts";
import { metadataOf } from "./xml/metadata-xml.ts";
import { instant } from "./xml/response.ts";

const validMs = 7 * 86_400_000;

/** `GET /saml/metadata`: our entity descriptor. */
function getMetadata({ settings, providers, keys, clock }: SamlRoutesDeps): VisitHandler {
  return async ({ reply }) => {
    const signer = await keys();
    const { entityId, addresses, saml } = settings();
    const all = providers().all;
    const xml = metadataOf(
      {
        entityId,
        id: newId(),
        addresses,
        hasSlo: saml.slo.enabled,
        wantsSignedRequests: all.length > 0 && all.every(({ config }) => config.authn_requests_signed),
        certificates: signer.published,
        validUntil: instant(clock.now() + validMs),
      },
      signer,
    );
    return reply
      .header("cache-control", "no-cache")
      .header("x-content-type-options", "nosniff")
      .type("application/samlmetadata+xml")
      .send(xml);
  };
}

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
