import { metadataOf } from "../../saml/outbound/metadata.ts";
import { instant } from "../../saml/outbound/response.ts";
import { newId } from "../../saml/protocol/new-id.ts";
import type { VisitHandler } from "../page-routes.ts";
import type { SamlRoutesDeps } from "./deps.ts";

const validMs = 7 * 86_400_000;

/** `GET /saml/metadata`: our entity descriptor. */
export function getMetadata({ settings, providers, keys, clock }: SamlRoutesDeps): VisitHandler {
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
