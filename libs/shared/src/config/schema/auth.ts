import { Backchannel } from "./auth-backchannel.ts";
import { Controls } from "./auth-controls.ts";
import { LdapBackend } from "./auth-ldap.ts";
import { LuaBackend } from "./auth-lua.ts";
import { OauthBearer } from "./auth-oauthbearer.ts";
import { Policy } from "./auth-policy.ts";
import { RequestHeaders } from "./auth-request.ts";
import { Services } from "./auth-services.ts";
import { SqlBackend } from "./auth-sql.ts";
import { duration, flag, integer, section, text, texts } from "./fields.ts";

const Pipeline = section("Bounds of a decision.", {
  max_concurrent_requests: integer(1000, { description: "Requests that the gateway takes at a time.", minimum: 1 }),
  max_login_attempts: integer(15, {
    description: "Login attempts that Auth-Wait counts.",
    minimum: 1,
    reload: "live",
  }),
  wait_delay: integer(10, { description: "Longest Auth-Wait of a denial.", unit: "s", maximum: 600, reload: "live" }),
  master_user: section(
    "Users who sign in as others, with their own password.",
    {
      enabled: flag(false, { description: "Let them." }),
      user_format: text("{user}*{master_user}", {
        description: "How a login names both; {user} is the account, {master_user} whose password it is.",
        minLength: 1,
      }),
      users: texts([], { description: "Who may, spelled as they sign in; nobody else is taken for one." }),
    },
    { reload: "live" },
  ),
  local_cache_ttl: duration("30s", {
    description: "Life of a cached success in a process, and of one that a lost event did not flush; 0 caches none.",
    maximum: 3_600_000,
  }),
  local_cache_max_entries: integer(20_000, { description: "Successes that a process keeps at most.", minimum: 1 }),
  local_cache_max_bytes: integer(33_554_432, {
    description: "Memory that a process spends on them at most, as it estimates.",
    unit: "bytes",
    minimum: 65_536,
  }),
  max_hashing_concurrency: integer(0, { description: "Password hashes at a time; 0 takes the number of cores." }),
  max_hashing_queue: integer(256, { description: "Password hashes that may wait; more are temporary failures." }),
});

const upstream = (protocol: string, port: number) =>
  section(`Where the proxy-style endpoint sends ${protocol}.`, {
    address: text("", {
      description:
        "IP address, as Auth-Server tells it (nginx resolves no names); empty: who signs in gets a temporary failure.",
      form: "ip-address",
      reload: "live",
    }),
    port: integer(port, { description: "Port, as Auth-Port tells it.", minimum: 1, maximum: 65_535, reload: "live" }),
  });

/** Everything about the decision. */
export const Auth = section("The decision: who may ask, how users are found, what is answered.", {
  request: section("Requests.", { headers: RequestHeaders }),
  backchannel: Backchannel,
  oauthbearer: OauthBearer,
  pipeline: Pipeline,
  response: section("Answers.", {
    proxy_denial_text: text("", {
      description: "Sentence for mail users in place of FAIL, on the proxy-style endpoint.",
      form: "header-text",
      maxLength: 256,
      reload: "live",
    }),
  }),
  upstreams: section("Mail servers behind the proxy-style endpoint.", {
    smtp: upstream("smtp", 25),
    imap: upstream("imap", 143),
    pop3: upstream("pop3", 110),
  }),
  services: Services,
  controls: Controls,
  policy: Policy,
  backends: section(
    "Directories. A reload makes new ones and closes the old when their last request is over.",
    {
      order: texts(["sql"], {
        description:
          "Directories in the order of asking: sql, sql(pool), ldap, ldap(pool) or lua. The shared cache keeps successes of those behind an entry cache.",
        minItems: 1,
      }),
      ldap: LdapBackend,
      sql: SqlBackend,
      lua: LuaBackend,
    },
    { reload: "live" },
  ),
});
