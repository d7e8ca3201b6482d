import {
  choice,
  duration,
  entries,
  flag,
  integer,
  requiredText,
  requiredTexts,
  section,
  text,
  texts,
} from "./fields.ts";

const Http = section("The http module. Without allowed hosts scripts reach nobody.", {
  allowed_hosts: texts([], { description: "Hosts that scripts may ask, as api.example.test or 127.0.0.1:8080." }),
  timeout: duration("2s", { description: "Longest wait for one answer.", minimum: 10 }),
  max_response_bytes: integer(1_048_576, { description: "Longest body of an answer.", unit: "bytes", minimum: 1 }),
});

const Dns = section("The dns module.", {
  resolvers: texts([], { description: "DNS servers, as 192.0.2.1:53; none takes the system's.", form: "dns-server" }),
  timeout: duration("2s", { description: "Longest wait for one answer.", minimum: 10 }),
});

const Mail = section("The mail module. Without allowed servers scripts send nothing.", {
  allowed_servers: texts([], {
    description:
      "SMTP servers that scripts may use, as smtp.example.test:587; the first one where a script names none.",
  }),
  timeout: duration("10s", { description: "Longest sending of one message.", minimum: 10 }),
  max_message_bytes: integer(262_144, { description: "Longest text of a message.", unit: "bytes", minimum: 1 }),
});

const Metrics = section(
  "The metrics module.",
  { names: texts([], { description: "Names that scripts may count by." }) },
  // Series are made once a process.
  { reload: "restart" },
);

const Pool = section("The interpreters and the site's scripts. Paths are read at start and on SIGHUP.", {
  backend_script_path: text("", {
    description: "Script of the directory lua: verify_password, lookup, list_accounts.",
  }),
  mfa: section("Second factors and app passwords that the script keeps.", {
    enabled: flag(false, { description: "The script defines mfa_account and the other functions mfa_…." }),
  }),
  init_script_paths: texts([], { description: "Scripts whose function start runs once a process, as it starts." }),
  cache_flush_script_path: text("", {
    description: "Script whose function cache_flush tells what else is flushed with a name.",
  }),
  package_path: text("", { description: "Folder with Lua files that scripts may require." }),
  translations_path: text("", { description: "YAML file with the texts of the i18n module: language, key, text." }),
  backend_number_of_workers: integer(2, { description: "Threads for decisions.", minimum: 1, maximum: 64 }),
  action_number_of_workers: integer(1, { description: "Threads for actions.", minimum: 1, maximum: 64 }),
  hook_number_of_workers: integer(1, { description: "Threads for custom hooks, in admin.", minimum: 1, maximum: 64 }),
  queue_length: integer(1000, { description: "Calls of a kind that run or wait; more are refused.", minimum: 1 }),
  cpu_limit: duration("50ms", {
    description: "Longest computing of one call; waiting for modules does not count.",
    minimum: 1,
  }),
  memory_limit: integer(16_777_216, {
    description: "Memory of one script in one thread.",
    unit: "bytes",
    minimum: 1_048_576,
  }),
});

const Search = section("Protocols that the script serves.", {
  protocol: requiredTexts({ description: "Protocols that this entry serves; * serves all others.", example: ["*"] }),
  cache_name: requiredText({ description: "Name space of this entry's cached results.", example: "lua" }),
});

/** The Lua runtime and the directory `lua`. */
export const LuaBackend = section("Site scripts in Lua 5.4.", {
  backend: section("The directory lua, and the interpreters of all scripts.", {
    default: Pool,
    search: entries("Protocols that the directory serves; without an entry it serves all.", Search),
  }),
  modules: section("What scripts may reach.", { http: Http, dns: Dns, mail: Mail, metrics: Metrics }),
});

const Script = section("One script.", {
  name: requiredText({ description: "Name in logs.", example: "geoip" }),
  script_path: requiredText({ description: "File of the script.", example: "scripts/geoip.lua" }),
});

const Action = section("One action.", {
  type: choice(["post", "brute_force", "lua"], "post", {
    description:
      "When it runs, after the answer: post always, brute_force for a blocked client, lua for a script's denial.",
  }),
  name: requiredText({ description: "Name in logs.", example: "webhook" }),
  script_path: requiredText({ description: "File of the script.", example: "scripts/webhook.lua" }),
});

const Hook = section("One path under /api/v1/custom/.", {
  http_location: requiredText({ description: "Path below /api/v1/custom/.", example: "hello" }),
  http_method: choice(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], "GET", { description: "Method." }),
  content_type: text("application/json", { description: "Media type of answers that name none." }),
  script_path: requiredText({ description: "File of the script.", example: "scripts/hello.lua" }),
  scopes: texts([], { description: "Scopes of which a Bearer caller needs one; a Basic caller needs none." }),
  public: flag(false, { description: "Everybody may call it." }),
  enabled: flag(true, { description: "A disabled hook answers 403." }),
});

/** The scripts around a decision, and custom hooks. */
export const LuaControls = section(
  "Site scripts around the decision, and custom hooks.",
  {
    environment: entries("Scripts that run before caches and directories; each may deny.", Script),
    subject: entries("Scripts that run after a directory's answer; each may deny or change it.", Script),
    actions: entries("Scripts that run after the answer.", Action),
    hooks: entries("Custom hooks, served by admin.", Hook),
  },
  { reload: "live" },
);
