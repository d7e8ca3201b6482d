import { type TOptional, type TString, Type } from "typebox";
import { optionalText } from "../schema.ts";

/** `text` and `tls` are texts; a `flag` is true for any text but the empty one; a `count` is an integer that is not negative. */
type Kind = "text" | "tls" | "flag" | "count";
type AuthField = ReturnType<typeof field>;

/**
 * @param member of `AuthRequest`; of the kind `tls`, of its `tlsDetails`
 * @param header key of `auth.request.headers`; undefined if no header of the request itself names the field
 */
function field<const K extends Kind, const Member extends string, const Header extends string | undefined>(
  kind: K,
  member: Member,
  header: Header,
  description = "TLS session and client certificate as the mail server saw them.",
) {
  return { kind, member, header, description };
}

/**
 * The fields of an authentication request by their names in JSON, CBOR, forms and gRPC messages. Everything that reads, describes or carries
 * a request derives from this table.
 */
export const authFields = {
  username: field("text", "username", "username", "User name to authenticate."),
  password: field("text", "password", "password", "Password. It may be absent with mode no-auth or list-accounts."),
  protocol: field("text", "protocol", "protocol", "Protocol, such as imap, smtp or pop3. It should always be sent."),
  method: field("text", "method", "auth_method", "Authentication method, such as plain or login."),
  client_ip: field(
    "text",
    "clientIp",
    undefined,
    "Client address, with or without its port. An invalid value is treated as no address.",
  ),
  client_port: field("text", "clientPort", undefined, "Port of the client. If absent, the one in client_ip."),
  client_hostname: field("text", "clientHostname", "client_host", "Host name of the client."),
  client_id: field("text", "clientId", "client_id", "Identification that the mail client sent."),
  external_session_id: field(
    "text",
    "externalSessionId",
    "external_session_id",
    "Session identifier of the API caller.",
  ),
  user_agent: field("text", "userAgent", undefined, "User agent. If absent, the HTTP header User-Agent."),
  local_ip: field("text", "localIp", "local_ip", "Address of the mail server that accepted the client."),
  local_port: field("text", "localPort", "local_port", "Port of that mail server."),
  oidc_cid: field("text", "oidcClientId", "oidc_cid", "OIDC client ID."),
  ssl: field("flag", "tls", "ssl", "Any non-empty value means that the client uses TLS."),
  ssl_session_id: field("tls", "sessionId", "ssl_session_id"),
  ssl_client_verify: field("tls", "clientVerify", "ssl_verify"),
  // The older name, used if `ssl_client_verify` is empty.
  ssl_verify: field("tls", "clientVerify", undefined),
  ssl_client_dn: field("tls", "clientDn", "ssl_subject"),
  ssl_client_cn: field("tls", "clientCn", "ssl_client_cn"),
  ssl_issuer: field("tls", "issuer", "ssl_issuer"),
  ssl_subject_dn: field("tls", "subjectDn", "ssl_subject_dn"),
  ssl_issuer_dn: field("tls", "issuerDn", "ssl_issuer_dn"),
  ssl_client_subject_dn: field("tls", "clientSubjectDn", "ssl_client_subject_dn"),
  ssl_client_issuer_dn: field("tls", "clientIssuerDn", "ssl_client_issuer_dn"),
  ssl_client_notbefore: field("tls", "clientNotBefore", "ssl_client_not_before"),
  ssl_client_notafter: field("tls", "clientNotAfter", "ssl_client_not_after"),
  ssl_protocol: field("tls", "protocol", "ssl_protocol"),
  ssl_cipher: field("tls", "cipher", "ssl_cipher"),
  ssl_serial: field("tls", "serial", "ssl_serial"),
  ssl_fingerprint: field("tls", "fingerprint", "ssl_fingerprint"),
  auth_login_attempt: field("count", "loginAttempt", "login_attempt"),
} satisfies Readonly<Record<string, AuthField>>;

type Row = (typeof authFields)[keyof typeof authFields];

/** The members of a kind, as optional texts of a bus schema. */
export function optionalMembers<K extends "text" | "tls">(
  kind: K,
): { [Member in Extract<Row, { readonly kind: K }>["member"]]: TOptional<TString> };
export function optionalMembers(kind: Kind) {
  const rows: readonly AuthField[] = Object.values(authFields);
  return Object.fromEntries(
    rows.filter((row) => row.kind === kind).map(({ member }) => [member, Type.Optional(Type.String())]),
  );
}

/** The fields that are texts on the wire, as optional members of a body. */
export function optionalWireTexts() {
  const rows: readonly (readonly [string, AuthField])[] = Object.entries(authFields);
  return Object.fromEntries(
    rows.filter(([, { kind }]) => kind !== "count").map(([name, { description }]) => [name, optionalText(description)]),
  );
}
