import { Type } from "typebox";
import { emptyAnswer, errorAnswer, pathOf } from "../operations/answers.ts";
import { operationsWith } from "../operations/define-operation.ts";
import { defineFamily } from "../operations/route-family.ts";

const family = defineFamily({ name: "console pages", prefix: "/console", owner: "admin", channel: "console" });

const define = operationsWith({
  family,
  tag: "Console",
  audience: "management",
  security: "browser_session",
  undocumented: "a page of the console; programs use the operations that it uses",
  answers: { 200: emptyAnswer("The page."), 403: errorAnswer("The operator's role does not permit it.") },
});

const page =
  (method: "get" | "post") =>
  <const Path extends string, const Id extends string, const Right extends string>(
    path: Path,
    operationId: Id,
    right: Right,
    summary: string,
  ) => {
    const parameters = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = ""]) => [name, Type.String()] as const);
    const row = { summary, request: pathOf(Object.fromEntries(parameters)) };
    return { ...define(method, path, operationId, row), right };
  };
const [get, post] = [page("get"), page("post")];

/** The pages of the console, on the listener of `runtime.servers.http.console_address`, with the right that each requires. */
export const consolePageOperations = [
  get("/console", "consoleHome", "everyone", "Go to the first page"),
  get("/console/sign-in", "consoleSignIn", "everyone", "Begin a sign-in at the identity provider"),
  post("/console/sign-in", "consoleSignInByCode", "everyone", "Begin a sign-in with an invitation code"),
  get("/console/callback", "consoleCallback", "everyone", "Complete a sign-in"),
  post("/console/sign-out", "consoleSignOut", "operator", "End the operator's session"),
  get("/console/clients", "consoleClients", "clients", "Show the clients and service providers"),
  get("/console/overview", "consoleOverview", "overview", "Show the site at a glance"),
  get("/console/origins", "consoleOrigins", "origins", "Show where sign-ins come from"),
  get(
    "/console/search",
    "consoleSearch",
    "search",
    "Show what is known about an account, an address, a network or a reference",
  ),
  post("/console/search", "consoleFind", "search", "Search for an account, an address, a network or a reference"),
  get("/console/account", "consoleAccount", "account", "Show one account"),
  post("/console/account", "consoleFindAccount", "account", "Go to one account"),
  get("/console/network", "consoleNetwork", "search", "Show one network"),
  get("/console/bans", "consoleBans", "bans", "Show bans and attacks"),
  get("/console/bans/events", "consoleBansEvents", "bans", "Follow the page as server-sent events"),
  get("/console/system", "consoleSystem", "system", "Show the state of the site"),
  get("/console/system/events", "consoleSystemEvents", "system", "Follow the page as server-sent events"),
  get("/console/shadow", "consoleShadow", "shadow", "Show where the answers of other backends differ"),
  // Deleting the report takes away what others may be working on.
  post("/console/shadow/reset", "consoleShadowReset", "security", "Delete the report of the shadow"),
  get("/console/configuration", "consoleConfiguration", "configuration", "Show the configuration in effect"),
  get("/console/rehearsal", "consoleRehearsal", "rehearsal", "Ask for the result of a rehearsal"),
  post("/console/rehearsal", "consoleRehearsalShow", "rehearsal", "Show the result of a rehearsal"),
  post("/console/rehearsal/start", "consoleRehearsalStart", "rehearsal", "Start a rehearsal"),
  post("/console/rehearsal/cancel", "consoleRehearsalCancel", "rehearsal", "Cancel the rehearsal that is running"),
  get("/console/rehearsal/events", "consoleRehearsalEvents", "rehearsal", "Follow the rehearsal as server-sent events"),
  get("/console/domains", "consoleDomains", "domains", "Show domains and their records"),
  get("/console/audit", "consoleAudit", "audit", "Show the latest audit records"),
  post("/console/audit", "consoleAuditFilter", "audit", "Show audit records that match a filter"),
  post("/console/audit/export", "consoleAuditExport", "audit", "Export audit records"),
  get("/console/api", "consoleApi", "api", "Browse the management interface"),
  get("/console/api/document", "consoleApiDocument", "api", "Load the OpenAPI document of the management interface"),
  post("/console/actions/{action}", "consoleAct", "operator", "Carry out an action"),
  get("/console/preferences", "consolePreferences", "operator", "Show how this browser shows the console"),
  post("/console/preferences", "consoleSavePreferences", "operator", "Choose the time zone of this browser"),
  get("/console/assets/{asset}", "consoleAsset", "everyone", "Load a file of the pages"),
  {
    ...get("/console/{page}", "consoleUnknown", "everyone", "Say that a page does not exist"),
    takesRest: true as const,
  },
];
