import type { KeyPair } from "./key-pair.ts";

export const wikiSite = "http://wiki.test";
export const trackerSite = "http://tracker.test";
export const boardSite = "http://board.test";
export const login = "http://localhost:8080";

/** An OIDC client and three service providers, each on a site of its own. */
export const identity = (
  [wikiPair, trackerKeys, boardKeys]: readonly [KeyPair, KeyPair, KeyPair],
  clientPort: number,
) => ({
  oidc: {
    enabled: true,
    issuer: login,
    clients: [
      {
        client_id: "webmail",
        client_secret: "webmail-secret-of-the-test",
        redirect_uris: ["http://mail.test/cb"],
        skip_consent: true,
        post_logout_redirect_uris: ["http://mail.test/bye"],
        backchannel_logout_uri: `http://127.0.0.1:${clientPort}/logout`,
      },
    ],
  },
  saml: {
    enabled: true,
    entity_id: `${login}/saml/metadata`,
    persistent_id_secret: "a-secret-that-is-kept-for-ever",
    slo: { request_timeout: "2s" },
    service_providers: [
      {
        name: "Example wiki",
        entity_id: "urn:test:wiki",
        acs_url: `${wikiSite}/acs`,
        slo_url: `${wikiSite}/slo`,
        cert: wikiPair.cert,
        authn_requests_signed: true,
        logout_requests_signed: true,
        logout_responses_signed: true,
        allowed_attributes: ["mail"],
        attribute_preset: "urn_oid",
      },
      {
        name: "Example tracker",
        entity_id: "urn:test:tracker",
        acs_url: `${trackerSite}/acs`,
        slo_url: `${trackerSite}/slo`,
        cert: trackerKeys.cert,
        encryption: "none",
        attributes: [{ attribute: "uid", name: "login" }],
      },
      {
        name: "Example board",
        entity_id: "urn:test:board",
        acs_url: `${boardSite}/acs`,
        slo_url: `${boardSite}/slo`,
        slo_binding: "post",
        cert: boardKeys.cert,
      },
    ],
  },
});
