import { expect, test } from "vitest";
import { type Config, loadConfig, ownCertificates } from "./index.ts";

const secret = "own-certificates-test-secret-0123456789";

function configured(): Config {
  const text = `
runtime:
  bus: { tls: { enabled: true, cert: bus.pem, key: bus.key } }
  regions: { name: east, peers: [west], bus: { servers: ["nats://127.0.0.1:4222"], tls: { enabled: true, cert: regions.pem, key: regions.key } } }
  servers:
    http: { tls: { enabled: true, cert: http.pem, key: http.key } }
    grpc: { authority: { enabled: true, tls: { enabled: true, cert: grpc.pem, key: grpc.key } } }
storage: { redis: { encryption_secret: ${secret}, roles: { state: { tls: { enabled: true, cert: redis.pem, key: redis.key } } } } }
auth:
  backchannel: { basic_auth: { enabled: true, username: caller, password: ${secret} } }
  backends:
    order: [ldap, sql]
    ldap:
      default: { server_uri: ["ldaps://127.0.0.1"], tls_client_cert: ldap.pem, tls_client_key: ldap.key }
      pools: { second: { server_uri: ["ldaps://127.0.0.1"], tls_client_cert: ldap2.pem, tls_client_key: ldap.key } }
      search: [{ protocol: [imap], cache_name: c, base_dn: o, filter: { user: (a=b) }, mapping: { account_field: mail } }]
    sql:
      default: { driver: postgresql, server: "127.0.0.1:5432", user: u, database: d, tls: true, tls_client_cert: sql.pem, tls_client_key: sql.key }
      search: [{ protocol: ["*"], cache_name: c, queries: { user: SELECT }, mapping: { account_field: a } }]
identity:
  frontend: { enabled: true, encryption_secret: ${secret} }
  oidc: { issuer: "https://id.example.test" }
  saml: { enabled: true, entity_id: "https://id.example.test/saml", cert_file: saml.pem, key: k }
  mail_clients: { enabled: true, profile: { cert: inline, key: k }, domains: [{ names: [example.test], imap: { host: m.example.test }, smtp: { host: m.example.test } }] }
`;
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.config;
}

const namesOf = (service?: string) => ownCertificates(configured(), service).map(({ file, pem }) => file || pem);

test("the list has each certificate that Postern presents or signs with, for the services that use it", () => {
  const shared = ["bus.pem", "redis.pem"];
  const gateway = ["http.pem", "grpc.pem", ...shared];
  const engine = [...shared, "ldap.pem", "ldap2.pem", "sql.pem"];
  const idp = [...shared, "saml.pem", "inline"];
  expect(namesOf("gateway")).toEqual(gateway);
  expect(namesOf("auth-engine")).toEqual(engine);
  expect(namesOf("idp")).toEqual(idp);
  expect(namesOf("admin")).toEqual(shared);
  expect(namesOf("jobs-worker")).toEqual(["bus.pem", "regions.pem", "redis.pem"]);
  expect(new Set(namesOf())).toEqual(new Set([...gateway, ...engine, ...idp, "regions.pem"]));
});

test("each certificate has the key that names it", () => {
  const keys = ownCertificates(configured()).map(({ key }) => key);
  expect(keys).toContain("auth.backends.ldap.pools.second.tls_client_cert");
  expect(keys).toContain("identity.saml.cert_file");
  expect(keys).toContain("identity.mail_clients.profile.cert");
});
