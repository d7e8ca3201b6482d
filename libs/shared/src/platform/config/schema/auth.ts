import { Backchannel } from "./auth-backchannel.ts";
import { Controls } from "./auth-controls.ts";
import { LdapBackend } from "./auth-ldap.ts";
import { LuaBackend } from "./auth-lua.ts";
import { Policy } from "./auth-policy.ts";
import { Risk } from "./auth-risk.ts";
import { Services } from "./auth-services.ts";
import { SqlBackend } from "./auth-sql.ts";
import { boolean, duration, entries, integer, secret, section, string, stringList } from "./fields.ts";

const header = (name: string, what: string) =>
  string(name, { description: `Name of the header with ${what}. If empty, no header is read.`, form: "header-name" });

/** Names of the request headers of the header, basic and proxy dialects. */
const RequestHeaders = section("Names of the request headers in the header, basic and proxy dialects.", {
  username: header("Auth-User", "the user name"),
  password: header("Auth-Pass", "the password"),
  password_encoded: header("Auth-Password-Encoded", "the value 1 if the password is Base64-encoded"),
  protocol: header("Auth-Protocol", "the protocol"),
  auth_method: header("Auth-Method", "the authentication method"),
  login_attempt: header("Auth-Login-Attempt", "the number of the login attempt"),
  client_ip: header("Client-IP", "the client address"),
  client_port: header("X-Client-Port", "the port of the client"),
  client_host: header("X-Client-Host", "the host name of the client"),
  client_id: header("X-Client-Id", "the name and version of the mail client"),
  external_session_id: header("X-External-Session-Id", "the session ID of the API caller"),
  local_ip: header("X-Local-IP", "the mail server's address"),
  local_port: header("X-Auth-Port", "the mail server's port"),
  ssl: header("Auth-SSL", "any value if the mail client uses TLS"),
  ssl_session_id: header("Auth-SSL-Session-ID", "the TLS session ID"),
  ssl_verify: header("Auth-SSL-Verify", "the result of the certificate check"),
  ssl_subject: header("Auth-SSL-Subject", "the certificate's subject"),
  ssl_client_cn: header("Auth-SSL-Client-CN", "the certificate's common name"),
  ssl_issuer: header("Auth-SSL-Issuer", "the certificate's issuer"),
  ssl_client_not_before: header("Auth-SSL-Client-Not-Before", "the start of the certificate's validity"),
  ssl_client_not_after: header("Auth-SSL-Client-Not-After", "the end of the certificate's validity"),
  ssl_subject_dn: header("Auth-SSL-Subject-DN", "the subject's DN"),
  ssl_issuer_dn: header("Auth-SSL-Issuer-DN", "the issuer's DN"),
  ssl_client_subject_dn: header("Auth-SSL-Client-Subject-DN", "the client certificate's subject DN"),
  ssl_client_issuer_dn: header("Auth-SSL-Client-Issuer-DN", "the client certificate's issuer DN"),
  ssl_cipher: header("Auth-SSL-Cipher", "the cipher"),
  ssl_protocol: header("Auth-SSL-Protocol", "the TLS version"),
  ssl_serial: header("Auth-SSL-Serial", "the certificate's serial number"),
  ssl_fingerprint: header("Auth-SSL-Fingerprint", "the certificate's fingerprint"),
  oidc_cid: header("X-OIDC-CID", "the OIDC client ID"),
});

const likeCallers = "If empty, the one of auth.backchannel.oidc_bearer is used";

/** Users of mail clients that sign in with an access token in place of a password. */
const OauthBearer = section(
  "Logins with an access token in place of a password (SASL methods oauthbearer and xoauth2). The settings cache_ttl and revocation_ttl of auth.backchannel.oidc_bearer apply too.",
  {
    enabled: boolean(false, { description: "Whether these methods are accepted. If false, such logins are denied." }),
    issuer: string("", { description: `Issuer of the tokens. ${likeCallers}.`, form: "http-url" }),
    jwks_file: string("", {
      description:
        "Path of a file with the public keys as a JWK set. If jwks_url is empty too, the keys of auth.backchannel.oidc_bearer are used.",
    }),
    jwks_url: string("", { description: "URL of the public keys, used when jwks_file is empty.", form: "http-url" }),
    audience: stringList([], {
      description:
        "Audiences, one of which a token must name. If empty, the audience is not checked. It must not contain the audience of the back channel.",
    }),
    required_scope: stringList([], { description: "Scopes, all of which a token must have." }),
    username_claims: stringList(["preferred_username", "email", "sub"], {
      description:
        "Claims that name the user, in order of preference. The first claim that a token has must equal the user name of the login.",
      minItems: 1,
    }),
    ignore_case: boolean(false, {
      description:
        "Whether user names are compared case-insensitively. The spelling in the token is used from then on.",
    }),
    clock_skew: duration("10s", {
      description: "Tolerated difference between clocks when a token's times are checked.",
      maximum: 60_000,
    }),
  },
);

const DecoyPassword = section("A decoy password.", {
  stored: secret({
    description: "Hash of an unused password, of the same kind and cost as the hashes in the backends.",
    form: "password-hash",
    reload: "live",
  }),
  weight: integer(1, {
    description: "Share of accounts with this kind of hash, relative to the weights of the other entries.",
    minimum: 1,
    maximum: 1_000_000,
    reload: "live",
  }),
});

const Pipeline = section("Limits, waits and the local cache of decisions.", {
  max_concurrent_requests: integer(1000, {
    description: "Maximum number of authentication requests that the gateway handles concurrently.",
    minimum: 1,
  }),
  max_login_attempts: integer(15, {
    description: "Login attempt at which Auth-Wait becomes 0, so that nginx closes the session.",
    minimum: 1,
    reload: "live",
  }),
  wait_delay: integer(10, {
    description: "Longest Auth-Wait of a denial. 0 omits the header.",
    unit: "s",
    maximum: 600,
    reload: "live",
  }),
  master_user: section(
    "Master users, who sign in as another user with their own password.",
    {
      enabled: boolean(false, { description: "Whether master users are accepted." }),
      user_format: string("{user}*{master_user}", {
        description:
          "Format of a login name that contains both users. {user} is the account to open, {master_user} the user whose password is sent.",
        minLength: 1,
      }),
      users: stringList([], { description: "User names of the master users, spelled as they sign in." }),
    },
    { reload: "live" },
  ),
  local_cache_ttl: duration("30s", {
    description:
      "Lifetime of a successful decision in the memory of an engine. A flush reaches every engine over the bus. If the event is lost, the entry remains for this time. 0 disables the cache.",
    maximum: 3_600_000,
  }),
  local_cache_max_entries: integer(20_000, {
    description: "Maximum number of decisions in the memory of an engine.",
    minimum: 1,
  }),
  local_cache_max_bytes: integer(33_554_432, {
    description: "Maximum estimated memory of these decisions in an engine.",
    unit: "bytes",
    minimum: 65_536,
  }),
  max_hashing_concurrency: integer(0, {
    description: "Number of password hashes that are computed concurrently. 0 uses the number of CPU cores.",
  }),
  max_hashing_queue: integer(256, {
    description: "Maximum number of password verifications that wait. Further ones are temporary failures.",
  }),
  decoy_passwords: entries(
    "Hashes that are verified for unknown user names in SQL and Lua backends, so that an unknown name takes as long as an account. If empty, the engine learns the mix of hashes in an SQL backend from the accounts that it reads.",
    DecoyPassword,
  ),
});

const upstream = (protocol: string, port: number) =>
  section(`Mail server to which the proxy dialect directs ${protocol} sessions.`, {
    address: string("", {
      description:
        "IP address of the mail server, sent as Auth-Server. It must be an address because nginx does not resolve names. If empty, logins end in a temporary failure.",
      form: "ip-address",
      reload: "live",
    }),
    port: integer(port, {
      description: "Port of the mail server, sent as Auth-Port.",
      minimum: 1,
      maximum: 65_535,
      reload: "live",
    }),
  });

/** Everything that concerns decisions. */
export const Auth = section("API callers, controls, policies, backends and responses.", {
  request: section("How requests are read.", { headers: RequestHeaders }),
  backchannel: Backchannel,
  oauthbearer: OauthBearer,
  pipeline: Pipeline,
  response: section("Content of responses.", {
    proxy_denial_text: string("", {
      description: "Text that mail users see in place of FAIL, in the proxy dialect.",
      form: "header-text",
      maxLength: 256,
      reload: "live",
    }),
    proxy_response_codes: boolean(false, {
      description:
        "Whether the texts of the proxy dialect begin with the response code of the mail protocol, by which a mail program tells a temporary failure from a wrong password: [UNAVAILABLE] or [AUTHENTICATIONFAILED] for imap (RFC 5530), [SYS/TEMP] or [AUTH] for pop3 (RFC 3206).",
      reload: "live",
    }),
  }),
  upstreams: section("Mail servers behind the proxy dialect, by protocol.", {
    smtp: upstream("smtp", 25),
    imap: upstream("imap", 143),
    pop3: upstream("pop3", 110),
  }),
  services: Services,
  controls: Controls,
  policy: Policy,
  risk: Risk,
  backends: section(
    "Backends. A reload opens new connections and closes the old ones after their last request.",
    {
      order: stringList(["sql"], {
        description:
          "Backends in the order in which they are queried: `sql`, `sql(pool)`, `ldap`, `ldap(pool)` or `lua`. An entry `cache` also keeps successful decisions of the backends after it in the shared result cache. The list may be empty with runtime.servers.http.auth_policy_endpoint, if mail servers verify all passwords themselves.",
      }),
      ldap: LdapBackend,
      sql: SqlBackend,
      lua: LuaBackend,
    },
    { reload: "live" },
  ),
});
