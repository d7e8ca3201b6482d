import { messages } from "../messages.ts";
import { checkUnique, type Judgement } from "./checks.ts";
import {
  choice,
  duration,
  entries,
  flag,
  integer,
  liveSection,
  requiredText,
  requiredTexts,
  section,
  text,
  texts,
} from "./fields.ts";
import type { Config } from "./root.ts";

const Http = section("HTTP requests from scripts (module `http`).", {
  allowed_hosts: texts(
    "Hosts to which scripts may connect, such as api.example.test or 127.0.0.1:8080. If empty, scripts cannot make HTTP requests.",
  ),
  timeout: duration("2s", "Longest time to wait for a response.", { minimum: 10 }),
  max_response_bytes: integer(1_048_576, "Maximum size of a response body.", { unit: "bytes", minimum: 1 }),
});

const Dns = section("DNS queries from scripts (module `dns`).", {
  resolvers: texts("Addresses of DNS servers, such as 192.0.2.1:53. If empty, the system's are used.", {
    form: "dns-server",
  }),
  timeout: duration("2s", "Longest time to wait for a response.", { minimum: 10 }),
});

const Mail = section("Mail from scripts (module `mail`).", {
  allowed_servers: texts(
    "SMTP servers that scripts may use, such as smtp.example.test:587. The first is used if a script names none. If empty, scripts cannot send mail.",
  ),
  timeout: duration("10s", "Longest time to send a message.", { minimum: 10 }),
  max_message_bytes: integer(262_144, "Maximum size of a message.", { unit: "bytes", minimum: 1 }),
});

const Metrics = section(
  "Metrics from scripts (module `metrics`).",
  { names: texts("Names of the metrics that scripts may increment.") },
  // Metrics are registered once per process.
  { reload: "restart" },
);

const Pool = section("Interpreters and script files. Changed files are read again on SIGHUP.", {
  backend_script_path: text(
    "Path of the script of the backend `lua`, with the functions `verify_password`, `lookup` and `list_accounts`.",
  ),
  mfa: section("Second factors and app passwords that the script stores.", {
    enabled: flag("Whether the script defines `mfa_account` and the other functions whose names begin with `mfa_`."),
  }),
  init_script_paths: texts("Paths of scripts whose function `start` runs once when a process starts."),
  cache_flush_script_path: text(
    "Path of the script whose function cache_flush names further entries to flush along with a user name.",
  ),
  package_path: text("Path of the folder with Lua files that scripts may require."),
  translations_path: text("Path of the YAML file with the texts of the module `i18n`, by language and key."),
  backend_number_of_workers: integer(2, "Number of threads that run scripts during decisions.", {
    minimum: 1,
    maximum: 64,
  }),
  action_number_of_workers: integer(1, "Number of threads that run actions.", { minimum: 1, maximum: 64 }),
  hook_number_of_workers: integer(1, "Number of threads in admin that run custom hooks.", { minimum: 1, maximum: 64 }),
  queue_length: integer(
    1000,
    "Maximum number of calls of each kind that run or wait. Further calls are rejected. 0 uses 1000.",
  ),
  cpu_limit: duration("50ms", "Maximum CPU time of a call. Time spent waiting for modules does not count.", {
    minimum: 1,
  }),
  memory_limit: integer(16_777_216, "Maximum memory of a script in a thread.", { unit: "bytes", minimum: 1_048_576 }),
});

const Search = section("Protocols that the script serves.", {
  protocol: requiredTexts("Protocols for which this entry is used. * stands for all others.", {
    example: ["*"],
    form: "protocol",
  }),
  cache_name: requiredText("Namespace of the cached results of this entry.", { example: "lua" }),
});

export const LuaBackend = section("Site scripts in Lua 5.4.", {
  backend: section("Backend `lua`, and the interpreters of all scripts.", {
    default: Pool,
    search: entries("Protocols that the backend serves. If empty, it serves all.", Search),
  }),
  modules: section("Resources that scripts may use.", { http: Http, dns: Dns, mail: Mail, metrics: Metrics }),
});

const Script = section("A script.", {
  name: requiredText("Name of the script in logs.", { example: "geoip" }),
  script_path: requiredText("Path of the script.", { example: "scripts/geoip.lua" }),
});

const Action = section("An action.", {
  type: choice(
    ["post", "brute_force", "lua"],
    "Requests after which the action runs, once they are answered: all (`post`), those of banned clients (`brute_force`), or those that a script denied (`lua`).",
  ),
  name: requiredText("Name of the action in logs.", { example: "webhook" }),
  script_path: requiredText("Path of the script.", { example: "scripts/webhook.lua" }),
});

const Hook = section("A custom hook: one path and method under /api/v1/custom/.", {
  http_location: requiredText("Path below /api/v1/custom/.", { example: "hello" }),
  http_method: choice(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], "HTTP method."),
  content_type: text("Media type of responses for which the script sets none.", { default: "application/json" }),
  script_path: requiredText("Path of the script.", { example: "scripts/hello.lua" }),
  scopes: texts("Scopes, one of which a Bearer caller must have. Basic callers need none."),
  public: flag("Whether the hook is available without authentication."),
  enabled: flag("Whether the hook is available. If false, it returns 403.", { default: true }),
});

export const LuaControls = liveSection("Site scripts before, during and after a decision, and custom hooks.", {
  environment: entries("Scripts that run before caches and backends. Each may deny the request.", Script),
  subject: entries(
    "Scripts that run after a backend has decided. Each may deny the request or change the result.",
    Script,
  ),
  actions: entries("Scripts that run after the request has been answered.", Action),
  hooks: entries("Custom hooks, served by admin.", Hook),
});

const controls = "auth.controls.lua";
const backend = "auth.backends.lua.backend";

export function validateLua(config: Config, judgement: Judgement): void {
  const { problem } = judgement;
  const { lua } = config.auth.controls;
  const { search, default: pool } = config.auth.backends.lua.backend;
  lua.hooks.forEach(({ http_location, public: isPublic, scopes }, index) => {
    if (!/^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/.test(http_location)) {
      problem(`${controls}.hooks[${index}].http_location`, messages.hookPath);
    }
    if (isPublic && scopes.length > 0) problem(`${controls}.hooks[${index}].scopes`, messages.publicWithScopes);
  });
  const routes = lua.hooks.map((hook) => ({ http_location: `${hook.http_method} ${hook.http_location}` }));
  checkUnique(routes, [`${controls}.hooks`, "http_location"], messages.hookTwice, judgement);
  for (const kind of ["environment", "subject", "actions"] as const) {
    checkUnique(lua[kind], [`${controls}.${kind}`, "name"], messages.userTwice, judgement);
  }
  const isBackendEnabled = config.auth.backends.order.some((entry) => entry.trim() === "lua");
  if (isBackendEnabled && pool.backend_script_path === "") {
    problem(`${backend}.default.backend_script_path`, messages.needsWhen("auth.backends.order contains lua"));
  }
  const served = new Set<string>();
  search.forEach(({ protocol }, index) => {
    const twice = protocol.find((one) => served.has(one));
    if (twice !== undefined) problem(`${backend}.search[${index}].protocol`, messages.protocolTwice(twice));
    for (const one of protocol) served.add(one);
  });
}
