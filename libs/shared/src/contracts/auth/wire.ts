import { type TProperties, Type } from "typebox";
import { component, optionalText, text } from "../schema.ts";

const words: Readonly<Record<string, string>> = {
  method: "Authentication method, such as plain or login.",
  client_ip: "Client address, with or without its port. An invalid value is treated as no address.",
  client_port: "Port of the client. If absent, the one in client_ip.",
  client_hostname: "Host name of the client.",
  client_id: "Identification that the mail client sent.",
  external_session_id: "Session identifier of the API caller.",
  user_agent: "User agent. If absent, the HTTP header User-Agent.",
  local_ip: "Address of the mail server that accepted the client.",
  local_port: "Port of that mail server.",
  oidc_cid: "OIDC client ID.",
  ssl: "Any non-empty value means that the client uses TLS.",
};

const tlsNames = [
  "ssl_session_id",
  "ssl_client_verify",
  "ssl_verify",
  "ssl_client_dn",
  "ssl_client_cn",
  "ssl_issuer",
  "ssl_subject_dn",
  "ssl_issuer_dn",
  "ssl_client_subject_dn",
  "ssl_client_issuer_dn",
  "ssl_client_notbefore",
  "ssl_client_notafter",
  "ssl_protocol",
  "ssl_cipher",
  "ssl_serial",
  "ssl_fingerprint",
];

function optionalTexts(rows: readonly (readonly [string, string])[]): TProperties {
  return Object.fromEntries(rows.map(([name, description]) => [name, optionalText(description)]));
}

const fields = {
  username: text("User name to authenticate."),
  password: optionalText("Password. It may be absent with mode no-auth or list-accounts."),
  protocol: optionalText("Protocol, such as imap, smtp or pop3. It should always be sent."),
  ...optionalTexts(Object.entries(words)),
  ...optionalTexts(
    tlsNames.map((name) => [name, "TLS session and client certificate as the mail server saw them."] as const),
  ),
};

/** Request of the JSON dialect. Bodies may have unknown members (ADR 0007). */
export const AuthenticationRequest = component("AuthenticationRequest", {
  ...fields,
  auth_login_attempt: Type.Optional(Type.Integer({ minimum: 0 })),
});

/** The same as a form, where numbers are text. */
export const AuthenticationForm = component("AuthenticationForm", {
  ...fields,
  auth_login_attempt: Type.Optional(Type.String({ pattern: "^\\d{1,9}$" })),
});

/** The same in CBOR, where unknown fields are rejected. */
export const AuthenticationCbor = component(
  "AuthenticationCbor",
  { ...fields, auth_login_attempt: Type.Optional(Type.Integer({ minimum: 0 })) },
  { description: "A CBOR map.", additionalProperties: false },
);

/** Form fields of the SASL dialect. */
export const SaslForm = component("SaslForm", {
  username: Type.String(),
  password: Type.Optional(Type.String()),
  protocol: Type.Optional(Type.String()),
  ...optionalTexts([
    ["port", "Port of the mail server that accepted the client."],
    ["method", "Authentication method."],
    ["tls", "Any non-empty value means that the client uses TLS."],
    ["security", "TLS version."],
    ["user_agent", "Name of the mail client."],
    ["realm", "Realm, appended to the user name after an @."],
  ]),
});

/** Body of a successful authentication. */
export const AuthenticationSuccess = component("AuthenticationSuccess", {
  ok: Type.Literal(true),
  account_field: text("Attribute with the account name."),
  totp_secret_field: text("Attribute that holds the TOTP secret. It may be empty."),
  backend: Type.Integer({
    description: "Source of the decision: 1 cache, 2 ldap, 3 lua, 4 test, 5 memory, 6 remote, 8 sql.",
  }),
  attributes: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: "Attributes of the account, without secrets.",
  }),
});

export const AccountList = Type.Array(Type.String(), {
  title: "AccountList",
  description: "Account names, for mode list-accounts.",
});

/** Query parameters of the authentication endpoints. */
export const AuthenticationQuery = Type.Object({
  mode: Type.Optional(
    Type.Union([Type.Literal("no-auth"), Type.Literal("list-accounts")], {
      description: "no-auth looks the account up without a password. list-accounts lists the account names.",
    }),
  ),
  "in-memory": optionalText("0 skips the memory cache."),
  cache: optionalText("0 skips the shared cache."),
});

/** Request headers of the header dialects, by their default names. */
export const AuthenticationHeaders = Type.Object({
  "Auth-User": text("User name. The header names are set by auth.request.headers."),
  "Auth-Protocol": text("Protocol, such as imap, smtp or pop3."),
  ...optionalTexts([
    ["Auth-Pass", "Password."],
    ["Auth-Password-Encoded", "1 if the password is Base64-encoded."],
    ["Auth-Method", "Authentication method."],
    ["Auth-Login-Attempt", "Number of the login attempt."],
    ["Client-IP", "Client address. Accepted only from a trusted proxy."],
    ["X-Client-Port", "Port of the client. Accepted only from a trusted proxy."],
    ["X-Client-Host", "Host name of the client."],
    ["X-Client-Id", "Identification that the mail client sent."],
    ["X-Local-IP", "Address of the mail server that accepted the client."],
    ["X-Auth-Port", "Port of that mail server."],
    ["X-OIDC-CID", "OIDC client ID."],
    ["Auth-SSL", "Any non-empty value means that the client uses TLS."],
    ["Auth-SSL-Protocol", "TLS version."],
    ["Auth-SSL-Cipher", "TLS cipher suite."],
  ]),
});
