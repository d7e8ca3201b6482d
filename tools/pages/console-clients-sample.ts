import { clientsPage } from "../../services/admin/src/console/clients/clients-page.ts";

/** Clients and service providers. */
export const clientsSample = clientsPage({
  now: new Date("2030-05-06T14:00:00.000Z"),
  position: 0,
  words: "",
  sort: "name",
  applications: {
    oidc: [
      {
        client_id: "webmail",
        name: "Webmail",
        authentication: "client_secret_basic",
        grant_types: ["authorization_code", "refresh_token"],
        redirect_uris: ["https://webmail.example.org/callback"],
        scopes: ["openid", "profile", "offline_access"],
        keys: 0,
        last_used: "2030-05-06T13:52:10.000Z",
      },
      {
        client_id: "old-portal",
        name: "",
        authentication: "private_key_jwt",
        grant_types: ["authorization_code"],
        redirect_uris: ["https://portal.example.org/signed-in"],
        scopes: ["openid"],
        keys: 1,
      },
    ],
    saml: [
      {
        entity_id: "https://wiki.example.org/saml",
        name: "Wiki",
        state: "usable",
        metadata: "https://wiki.example.org/saml/metadata",
        metadata_end: "2030-05-13T00:00:00.000Z",
        certificates: [{ use: "signing", end: "2030-05-20T00:00:00.000Z" }],
        last_used: "2030-05-06T09:10:00.000Z",
      },
      {
        entity_id: "https://files.example.org",
        name: "",
        state: "metadata_expired",
        metadata: "/etc/postern/saml/files.xml",
        metadata_end: "2030-05-01T00:00:00.000Z",
        certificates: [{ use: "signing", end: "2031-01-01T00:00:00.000Z" }],
      },
    ],
    incomplete: [],
  },
  registered: {
    clients: [
      {
        client_id: "m.6f2c",
        client_name: "Thunderbird",
        redirect_uris: ["http://127.0.0.1/"],
        scope: "openid mail",
        kind: "mail",
        network: "203.0.113.0/24",
        initial_access_token: "",
        software_id: "",
        created: "2030-05-05T08:00:00.000Z",
        last_used: "2030-05-06T13:00:00.000Z",
        ends: "2030-08-04T13:00:00.000Z",
      },
    ],
  },
});
