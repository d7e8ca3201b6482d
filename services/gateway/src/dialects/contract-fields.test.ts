import type { AuthRequest, TlsDetails } from "@postern/shared/contracts";
import { encodeCbor } from "@postern/shared/platform/cbor";
import { describe, expect, test } from "vitest";
import { parseCborRequest } from "./cbor.ts";
import type { RequestFacts } from "./complete-request.ts";
import { parseJsonRequest } from "./json.ts";

/** The fields of an authentication request, row by row. They are written out here and not read from our tables. */
const rows: readonly (readonly [field: string, value: string | number, read: Partial<AuthRequest>])[] = [
  ["username", "alice@example.test", { username: "alice@example.test" }],
  ["password", "p w", { password: "p w" }],
  ["protocol", "pop3", { protocol: "pop3" }],
  ["method", "login", { method: "login" }],
  ["client_ip", "203.0.113.9", { clientIp: "203.0.113.9" }],
  ["client_port", "40123", { clientPort: "40123" }],
  ["client_hostname", "c.example.test", { clientHostname: "c.example.test" }],
  ["client_id", "name=Mail", { clientId: "name=Mail" }],
  ["external_session_id", "5f0c", { externalSessionId: "5f0c" }],
  ["user_agent", "Mail/1", { userAgent: "Mail/1" }],
  ["local_ip", "192.0.2.25", { localIp: "192.0.2.25" }],
  ["local_port", "993", { localPort: "993" }],
  ["auth_login_attempt", 3, { loginAttempt: 3 }],
  ["ssl", "off", { tls: true }],
  ["oidc_cid", "demo-web", { oidcClientId: "demo-web" }],
];

const tlsRows: readonly (readonly [field: string, name: keyof TlsDetails])[] = [
  ["ssl_session_id", "sessionId"],
  ["ssl_client_verify", "clientVerify"],
  ["ssl_client_dn", "clientDn"],
  ["ssl_client_cn", "clientCn"],
  ["ssl_issuer", "issuer"],
  ["ssl_subject_dn", "subjectDn"],
  ["ssl_issuer_dn", "issuerDn"],
  ["ssl_client_subject_dn", "clientSubjectDn"],
  ["ssl_client_issuer_dn", "clientIssuerDn"],
  ["ssl_protocol", "protocol"],
  ["ssl_cipher", "cipher"],
  ["ssl_serial", "serial"],
  ["ssl_fingerprint", "fingerprint"],
  ["ssl_verify", "clientVerify"],
  ["ssl_client_notbefore", "clientNotBefore"],
  ["ssl_client_notafter", "clientNotAfter"],
];

const facts: RequestFacts = {
  session: "7d3f",
  dialect: "json",
  clientIp: "198.51.100.7",
  clientPort: "40000",
  clientIpIsPeer: false,
  userAgent: "doveadm/1",
  acceptLanguage: undefined,
};
const minimal = { username: "a", password: "b", protocol: "imap" };
const jsonUrl = "/api/v1/auth/json";
const form = "application/x-www-form-urlencoded";

test("no field has the name of an inherited object member: a body without it has no such field", () => {
  const inherited = [...rows, ...tlsRows].map(([field]) => field).filter((field) => field in {});
  expect(inherited).toEqual([]);
});

type Fields = Readonly<Record<string, string | number>>;

const formOf = (fields: Fields): string =>
  new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString();

const dialects: readonly (readonly [string, (fields: Fields) => AuthRequest])[] = [
  [
    "JSON",
    (fields) => {
      const body = Buffer.from(JSON.stringify(fields));
      return parseJsonRequest({ url: jsonUrl, contentType: "application/json", body, facts });
    },
  ],
  ["form", (fields) => parseJsonRequest({ url: jsonUrl, contentType: form, body: Buffer.from(formOf(fields)), facts })],
  [
    "CBOR",
    (fields) => {
      const body = encodeCbor(fields);
      return parseCborRequest({ url: "/api/v1/auth/cbor", contentType: "application/cbor", body, facts });
    },
  ],
];

describe.each(dialects)("request fields of the specification, %s", (_dialect, parse) => {
  test.each(rows)("%s", (field, value, read) => {
    expect(parse({ ...minimal, [field]: value })).toMatchObject(read);
  });

  test.each(tlsRows)("%s", (field, name) => {
    expect(parse({ ...minimal, [field]: "value-1" }).tlsDetails).toEqual({ [name]: "value-1" });
  });
});
