import { Type } from "typebox";
import { emptyAnswer, errorAnswer } from "../operations/answers.ts";
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

function page<const Id extends string, const Path extends string>(
  method: "get" | "post",
  path: Path,
  operationId: Id,
  summary: string,
) {
  const parameters = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = ""]) => [name, Type.String()] as const);
  return define(method, path, operationId, {
    summary,
    request: { path: Type.Object(Object.fromEntries(parameters)) },
  });
}

/** The pages of the console, on the listener of `runtime.servers.http.console_address`. */
export const consolePageOperations = [
  page("get", "/console", "consoleHome", "Go to the first page"),
  page("get", "/console/sign-in", "consoleSignIn", "Begin a sign-in at the identity provider"),
  page("post", "/console/sign-in", "consoleSignInByCode", "Begin a sign-in with an invitation code"),
  page("get", "/console/callback", "consoleCallback", "Complete a sign-in"),
  page("post", "/console/sign-out", "consoleSignOut", "End the operator's session"),
  page("get", "/console/clients", "consoleClients", "Show the clients and service providers"),
  page("get", "/console/overview", "consoleOverview", "Show the site at a glance"),
  page("get", "/console/origins", "consoleOrigins", "Show where sign-ins come from"),
  page(
    "get",
    "/console/search",
    "consoleSearch",
    "Show what is known about an account, an address, a network or a reference",
  ),
  page("post", "/console/search", "consoleFind", "Search for an account, an address, a network or a reference"),
  page("get", "/console/account", "consoleAccount", "Show one account"),
  page("post", "/console/account", "consoleFindAccount", "Go to one account"),
  page("get", "/console/network", "consoleNetwork", "Show one network"),
  page("get", "/console/bans", "consoleBans", "Show bans and attacks"),
  page("get", "/console/bans/events", "consoleBansEvents", "Follow the page as server-sent events"),
  page("get", "/console/system", "consoleSystem", "Show the state of the site"),
  page("get", "/console/system/events", "consoleSystemEvents", "Follow the page as server-sent events"),
  page("get", "/console/shadow", "consoleShadow", "Show where the answers of other backends differ"),
  page("post", "/console/shadow/reset", "consoleShadowReset", "Delete the report of the shadow"),
  page("get", "/console/configuration", "consoleConfiguration", "Show the configuration in effect"),
  page("get", "/console/rehearsal", "consoleRehearsal", "Ask for the result of a rehearsal"),
  page("post", "/console/rehearsal", "consoleRehearsalShow", "Show the result of a rehearsal"),
  page("post", "/console/rehearsal/start", "consoleRehearsalStart", "Start a rehearsal"),
  page("post", "/console/rehearsal/cancel", "consoleRehearsalCancel", "Cancel the rehearsal that is running"),
  page("get", "/console/rehearsal/events", "consoleRehearsalEvents", "Follow the rehearsal as server-sent events"),
  page("get", "/console/domains", "consoleDomains", "Show domains and their records"),
  page("get", "/console/audit", "consoleAudit", "Show the latest audit records"),
  page("post", "/console/audit", "consoleAuditFilter", "Show audit records that match a filter"),
  page("post", "/console/audit/export", "consoleAuditExport", "Export audit records"),
  page("get", "/console/api", "consoleApi", "Browse the management interface"),
  page("get", "/console/api/document", "consoleApiDocument", "Load the OpenAPI document of the management interface"),
  page("post", "/console/actions/{action}", "consoleAct", "Carry out an action"),
  page("get", "/console/preferences", "consolePreferences", "Show how this browser shows the console"),
  page("post", "/console/preferences", "consoleSavePreferences", "Choose the time zone of this browser"),
  page("get", "/console/assets/{asset}", "consoleAsset", "Load a file of the pages"),
  { ...page("get", "/console/{page}", "consoleUnknown", "Say that a page does not exist"), takesRest: true as const },
];
