import { type TProperties, Type } from "typebox";

const words: Readonly<Record<string, string>> = {
  method: "authentication method, as plain or login",
  client_ip: "address of the user's client",
  client_port: "its port",
  client_hostname: "its host name",
  client_id: "identifier that the client told",
  external_session_id: "session identifier of the asking system",
  user_agent: "the HTTP User-Agent header where it is left out",
  local_ip: "address of the server that took the client",
  local_port: "its port",
  oidc_cid: "OIDC client identifier",
  ssl: "any text that is not empty: the client came over TLS",
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
  return Object.fromEntries(rows.map(([name, description]) => [name, Type.Optional(Type.String({ description }))]));
}

const fields = {
  username: Type.String({ description: "account to authenticate" }),
  password: Type.Optional(Type.String({ description: "may be left out with mode no-auth or list-accounts" })),
  protocol: Type.Optional(Type.String({ description: "as imap, smtp, pop3; should always be sent" })),
  ...optionalTexts(Object.entries(words)),
  ...optionalTexts(
    tlsNames.map((name) => [name, "TLS and client certificate, as the asking server saw them"] as const),
  ),
};

/** Contract, "Authentication request". JSON bodies may have members that nobody reads (design decision 14). */
export const AuthenticationRequest = Type.Object(
  { ...fields, auth_login_attempt: Type.Optional(Type.Integer({ minimum: 0 })) },
  { title: "AuthenticationRequest" },
);

/** The same as a form, where a number is text. */
export const AuthenticationForm = Type.Object(
  { ...fields, auth_login_attempt: Type.Optional(Type.String({ pattern: "^\\d{1,9}$" })) },
  { title: "AuthenticationForm" },
);

/** The same in CBOR, where an unknown field is refused. */
export const AuthenticationCbor = Type.Object(
  { ...fields, auth_login_attempt: Type.Optional(Type.Integer({ minimum: 0 })) },
  { title: "AuthenticationCbor", description: "A CBOR map.", additionalProperties: false },
);

/** Contract, "Form fields of the SASL-style endpoint". */
export const SaslForm = Type.Object(
  {
    username: Type.String(),
    password: Type.Optional(Type.String()),
    protocol: Type.Optional(Type.String()),
    ...optionalTexts([
      ["port", "port of the server that took the client"],
      ["method", "authentication method"],
      ["tls", "any text that is not empty: the client came over TLS"],
      ["security", "TLS version"],
      ["user_agent", "the client's name"],
      ["realm", "appended to the user name after an @"],
    ]),
  },
  { title: "SaslForm" },
);

/** Contract, "Authentication success response". */
export const AuthenticationSuccess = Type.Object(
  {
    ok: Type.Literal(true),
    account_field: Type.String({ description: "attribute with the account's name" }),
    totp_secret_field: Type.String({ description: "attribute that would have the TOTP secret; may be empty" }),
    backend: Type.Integer({ description: "1 cache, 2 ldap, 3 lua, 4 test, 5 memory, 6 remote, 8 sql" }),
    attributes: Type.Record(Type.String(), Type.Array(Type.String()), { description: "none that is a secret" }),
  },
  { title: "AuthenticationSuccess" },
);

export const AccountList = Type.Array(Type.String(), {
  title: "AccountList",
  description: "Account names, with mode list-accounts.",
});

/** Contract, "Query parameters of the auth endpoints". */
export const AuthenticationQuery = Type.Object({
  mode: Type.Optional(
    Type.Union([Type.Literal("no-auth"), Type.Literal("list-accounts")], {
      description: "no-auth: look the account up without a password; list-accounts: names of accounts",
    }),
  ),
  "in-memory": Type.Optional(Type.String({ description: "0: not out of the memory cache" })),
  cache: Type.Optional(Type.String({ description: "0: not out of the shared cache" })),
});

/** Contract, "Request and response headers of header-style endpoints", by their default names. */
export const AuthenticationHeaders = Type.Object({
  "Auth-User": Type.String({ description: "the user's name; header names are set by auth.request.headers" }),
  "Auth-Protocol": Type.String({ description: "as imap, smtp, pop3" }),
  ...optionalTexts([
    ["Auth-Pass", "the password"],
    ["Auth-Password-Encoded", "1: the password is Base64"],
    ["Auth-Method", "authentication method"],
    ["Auth-Login-Attempt", "how many times the client has tried"],
    ["Client-IP", "the client's address, from a trusted proxy only"],
    ["X-Client-Port", "its port, from a trusted proxy only"],
    ["X-Client-Host", "its host name"],
    ["X-Client-Id", "identifier that the client told"],
    ["X-Local-IP", "address of the server that took the client"],
    ["X-Auth-Port", "its port"],
    ["X-OIDC-CID", "OIDC client identifier"],
    ["Auth-SSL", "any text that is not empty: the client came over TLS"],
    ["Auth-SSL-Protocol", "TLS version"],
    ["Auth-SSL-Cipher", "cipher suite"],
  ]),
});
