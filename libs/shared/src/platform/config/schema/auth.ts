import { Backchannel } from "./auth-backchannel.ts";
import { Controls } from "./auth-controls.ts";
import { LdapBackend } from "./auth-ldap.ts";
import { LuaBackend } from "./auth-lua.ts";
import { OauthBearer } from "./auth-oauthbearer.ts";
import { Policy } from "./auth-policy.ts";
import { RequestHeaders } from "./auth-request.ts";
import { Risk } from "./auth-risk.ts";
import { Services } from "./auth-services.ts";
import { SqlBackend } from "./auth-sql.ts";
import { duration, entries, flag, integer, secret, section, text, texts } from "./fields.ts";

const DecoyPassword = section("A decoy password.", {
  stored: secret("Hash of an unused password, of the same kind and cost as the hashes in the backends.", {
    form: "password-hash",
    reload: "live",
  }),
  weight: integer(1, "Share of accounts with this kind of hash, relative to the weights of the other entries.", {
    minimum: 1,
    maximum: 1_000_000,
    reload: "live",
  }),
});

const Pipeline = section("Limits, waits and the local cache of decisions.", {
  max_concurrent_requests: integer(
    1000,
    "Maximum number of authentication requests that the gateway handles concurrently.",
    { minimum: 1 },
  ),
  max_login_attempts: integer(15, "Login attempt at which Auth-Wait becomes 0, so that nginx closes the session.", {
    minimum: 1,
    reload: "live",
  }),
  wait_delay: integer(10, "Longest Auth-Wait of a denial. 0 omits the header.", {
    unit: "s",
    maximum: 600,
    reload: "live",
  }),
  master_user: section(
    "Master users, who sign in as another user with their own password.",
    {
      enabled: flag("Whether master users are accepted."),
      user_format: text(
        "Format of a login name that contains both users. {user} is the account to open, {master_user} the user whose password is sent.",
        { default: "{user}*{master_user}", minLength: 1 },
      ),
      users: texts("User names of the master users, spelled as they sign in."),
    },
    { reload: "live" },
  ),
  local_cache_ttl: duration(
    "30s",
    "Lifetime of a successful decision in the memory of an engine. A flush reaches every engine over the bus. If the event is lost, the entry remains for this time. 0 disables the cache.",
    { maximum: 3_600_000 },
  ),
  local_cache_max_entries: integer(20_000, "Maximum number of decisions in the memory of an engine.", { minimum: 1 }),
  local_cache_max_bytes: integer(33_554_432, "Maximum estimated memory of these decisions in an engine.", {
    unit: "bytes",
    minimum: 65_536,
  }),
  max_hashing_concurrency: integer(
    0,
    "Number of password hashes that are computed concurrently. 0 uses the number of CPU cores.",
  ),
  max_hashing_queue: integer(
    256,
    "Maximum number of password verifications that wait. Further ones are temporary failures.",
  ),
  decoy_passwords: entries(
    "Hashes that are verified for unknown user names in SQL and Lua backends, so that an unknown name takes as long as an account. If empty, the engine learns the mix of hashes in an SQL backend from the accounts that it reads.",
    DecoyPassword,
  ),
});

const upstream = (protocol: string, port: number) =>
  section(`Mail server to which the proxy dialect directs ${protocol} sessions.`, {
    address: text(
      "IP address of the mail server, sent as Auth-Server. It must be an address because nginx does not resolve names. If empty, logins end in a temporary failure.",
      { form: "ip-address", reload: "live" },
    ),
    port: integer(port, "Port of the mail server, sent as Auth-Port.", { minimum: 1, maximum: 65_535, reload: "live" }),
  });

/** Everything that concerns decisions. */
export const Auth = section("API callers, controls, policies, backends and responses.", {
  request: section("How requests are read.", { headers: RequestHeaders }),
  backchannel: Backchannel,
  oauthbearer: OauthBearer,
  pipeline: Pipeline,
  response: section("Content of responses.", {
    proxy_denial_text: text("Text that mail users see in place of FAIL, in the proxy dialect.", {
      form: "header-text",
      maxLength: 256,
      reload: "live",
    }),
    proxy_response_codes: flag(
      "Whether the texts of the proxy dialect begin with the response code of the mail protocol, by which a mail program tells a temporary failure from a wrong password: [UNAVAILABLE] or [AUTHENTICATIONFAILED] for imap (RFC 5530), [SYS/TEMP] or [AUTH] for pop3 (RFC 3206).",
      { reload: "live" },
    ),
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
      order: texts(
        "Backends in the order in which they are queried: `sql`, `sql(pool)`, `ldap`, `ldap(pool)` or `lua`. An entry `cache` also keeps successful decisions of the backends after it in the shared result cache. The list may be empty with runtime.servers.http.auth_policy_endpoint, if mail servers verify all passwords themselves.",
        { default: ["sql"] },
      ),
      ldap: LdapBackend,
      sql: SqlBackend,
      lua: LuaBackend,
    },
    { reload: "live" },
  ),
});
