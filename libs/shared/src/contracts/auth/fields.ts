import { type TOptional, type TString, Type } from "typebox";
import { optionalText } from "../schema.ts";

interface AuthField {
  /** `text` and `tls` are texts; a `flag` is true for any text but the empty one; a `count` is an integer that is not negative. */
  readonly kind: "text" | "tls" | "flag" | "count";
  /** Member of `AuthRequest`; of the kind `tls`, member of its `tlsDetails`. */
  readonly member: string;
  /** Key of `auth.request.headers`. Absent: no header of the request itself names it. */
  readonly header?: string;
  readonly description?: string;
}

/**
 * The fields of an authentication request by their names in JSON, CBOR, forms and gRPC messages. Everything that reads, describes or carries
 * a request derives from this table.
 */
export const authFields = {
  username: { kind: "text", member: "username", header: "username", description: "User name to authenticate." },
  password: {
    kind: "text",
    member: "password",
    header: "password",
    description: "Password. It may be absent with mode no-auth or list-accounts.",
  },
  protocol: {
    kind: "text",
    member: "protocol",
    header: "protocol",
    description: "Protocol, such as imap, smtp or pop3. It should always be sent.",
  },
  method: {
    kind: "text",
    member: "method",
    header: "auth_method",
    description: "Authentication method, such as plain or login.",
  },
  client_ip: {
    kind: "text",
    member: "clientIp",
    description: "Client address, with or without its port. An invalid value is treated as no address.",
  },
  client_port: {
    kind: "text",
    member: "clientPort",
    description: "Port of the client. If absent, the one in client_ip.",
  },
  client_hostname: {
    kind: "text",
    member: "clientHostname",
    header: "client_host",
    description: "Host name of the client.",
  },
  client_id: {
    kind: "text",
    member: "clientId",
    header: "client_id",
    description: "Identification that the mail client sent.",
  },
  external_session_id: {
    kind: "text",
    member: "externalSessionId",
    header: "external_session_id",
    description: "Session identifier of the API caller.",
  },
  user_agent: {
    kind: "text",
    member: "userAgent",
    description: "User agent. If absent, the HTTP header User-Agent.",
  },
  local_ip: {
    kind: "text",
    member: "localIp",
    header: "local_ip",
    description: "Address of the mail server that accepted the client.",
  },
  local_port: { kind: "text", member: "localPort", header: "local_port", description: "Port of that mail server." },
  oidc_cid: { kind: "text", member: "oidcClientId", header: "oidc_cid", description: "OIDC client ID." },
  ssl: {
    kind: "flag",
    member: "tls",
    header: "ssl",
    description: "Any non-empty value means that the client uses TLS.",
  },
  ssl_session_id: { kind: "tls", member: "sessionId", header: "ssl_session_id" },
  ssl_client_verify: { kind: "tls", member: "clientVerify", header: "ssl_verify" },
  // The older name, used if `ssl_client_verify` is empty.
  ssl_verify: { kind: "tls", member: "clientVerify" },
  ssl_client_dn: { kind: "tls", member: "clientDn", header: "ssl_subject" },
  ssl_client_cn: { kind: "tls", member: "clientCn", header: "ssl_client_cn" },
  ssl_issuer: { kind: "tls", member: "issuer", header: "ssl_issuer" },
  ssl_subject_dn: { kind: "tls", member: "subjectDn", header: "ssl_subject_dn" },
  ssl_issuer_dn: { kind: "tls", member: "issuerDn", header: "ssl_issuer_dn" },
  ssl_client_subject_dn: { kind: "tls", member: "clientSubjectDn", header: "ssl_client_subject_dn" },
  ssl_client_issuer_dn: { kind: "tls", member: "clientIssuerDn", header: "ssl_client_issuer_dn" },
  ssl_client_notbefore: { kind: "tls", member: "clientNotBefore", header: "ssl_client_not_before" },
  ssl_client_notafter: { kind: "tls", member: "clientNotAfter", header: "ssl_client_not_after" },
  ssl_protocol: { kind: "tls", member: "protocol", header: "ssl_protocol" },
  ssl_cipher: { kind: "tls", member: "cipher", header: "ssl_cipher" },
  ssl_serial: { kind: "tls", member: "serial", header: "ssl_serial" },
  ssl_fingerprint: { kind: "tls", member: "fingerprint", header: "ssl_fingerprint" },
  auth_login_attempt: { kind: "count", member: "loginAttempt", header: "login_attempt" },
} as const satisfies Readonly<Record<string, AuthField>>;

type Row = (typeof authFields)[keyof typeof authFields];

/** The members of a kind, as optional texts of a bus schema. */
export function optionalMembers<Kind extends "text" | "tls">(
  kind: Kind,
): { [Member in Extract<Row, { readonly kind: Kind }>["member"]]: TOptional<TString> };
export function optionalMembers(kind: AuthField["kind"]) {
  const rows: readonly AuthField[] = Object.values(authFields);
  return Object.fromEntries(
    rows.filter((row) => row.kind === kind).map(({ member }) => [member, Type.Optional(Type.String())]),
  );
}

/** The fields that are texts on the wire, as optional members of a body. */
export function optionalWireTexts() {
  const rows: readonly (readonly [string, AuthField])[] = Object.entries(authFields);
  return Object.fromEntries(
    rows
      .filter(([, { kind }]) => kind !== "count")
      .map(([name, { description = "TLS session and client certificate as the mail server saw them." }]) => [
        name,
        optionalText(description),
      ]),
  );
}
