import { type TString, Type } from "typebox";
import { emptyAnswer, errorAnswer } from "../operations/answers.ts";
import { defineOperation, type HttpMethod } from "../operations/define-operation.ts";
import { defineFamily } from "../operations/route-family.ts";

const family = defineFamily({ name: "console pages", prefix: "/console", owner: "admin", channel: "console" });

interface ConsolePage<Id extends string, Path extends string> {
  readonly method: Extract<HttpMethod, "get" | "post">;
  readonly path: Path;
  readonly operationId: Id;
  readonly summary: string;
}

function parametersOf(path: string): Record<string, TString> {
  return Object.fromEntries([...path.matchAll(/\{(\w+)\}/gu)].map(([, name = ""]) => [name, Type.String()]));
}

function defineConsolePage<const Id extends string, const Path extends string>(page: ConsolePage<Id, Path>) {
  return defineOperation<Id, Path>({
    ...page,
    family,
    tag: "Console",
    audience: "management",
    security: "browser_session",
    undocumented: "a page of the console; programs use the operations that it uses",
    request: { path: Type.Object(parametersOf(page.path)) },
    answers: { 200: emptyAnswer("The page."), 403: errorAnswer("The operator's role does not permit it.") },
  });
}

/** The pages of the console, on the listener of `runtime.servers.http.console_address`. */
export const consolePageOperations = [
  defineConsolePage({ method: "get", path: "/console", operationId: "consoleHome", summary: "Go to the first page" }),
  defineConsolePage({
    method: "get",
    path: "/console/sign-in",
    operationId: "consoleSignIn",
    summary: "Begin a sign-in at the identity provider",
  }),
  defineConsolePage({
    method: "post",
    path: "/console/sign-in",
    operationId: "consoleSignInByCode",
    summary: "Begin a sign-in with an invitation code",
  }),
  defineConsolePage({
    method: "get",
    path: "/console/callback",
    operationId: "consoleCallback",
    summary: "Complete a sign-in",
  }),
  defineConsolePage({
    method: "post",
    path: "/console/sign-out",
    operationId: "consoleSignOut",
    summary: "End the operator's session",
  }),
  defineConsolePage({
    method: "get",
    path: "/console/clients",
    operationId: "consoleClients",
    summary: "Show the clients and service providers",
  }),
  defineConsolePage({
    method: "get",
    path: "/console/search",
    operationId: "consoleSearch",
    summary: "Show what is known about an account, an address, a network or a reference",
  }),
  defineConsolePage({
    method: "post",
    path: "/console/search",
    operationId: "consoleFind",
    summary: "Search for an account, an address, a network or a reference",
  }),
  defineConsolePage({
    method: "get",
    path: "/console/account",
    operationId: "consoleAccount",
    summary: "Show one account",
  }),
  defineConsolePage({
    method: "post",
    path: "/console/account",
    operationId: "consoleFindAccount",
    summary: "Go to one account",
  }),
  defineConsolePage({
    method: "get",
    path: "/console/bans",
    operationId: "consoleBans",
    summary: "Show bans and attacks",
  }),
  defineConsolePage({
    method: "get",
    path: "/console/bans/events",
    operationId: "consoleBansEvents",
    summary: "Follow the page as server-sent events",
  }),
  defineConsolePage({
    method: "get",
    path: "/console/system",
    operationId: "consoleSystem",
    summary: "Show the state of the site",
  }),
  defineConsolePage({
    method: "get",
    path: "/console/system/events",
    operationId: "consoleSystemEvents",
    summary: "Follow the page as server-sent events",
  }),
  defineConsolePage({
    method: "get",
    path: "/console/configuration",
    operationId: "consoleConfiguration",
    summary: "Show the configuration in effect",
  }),
  defineConsolePage({
    method: "get",
    path: "/console/audit",
    operationId: "consoleAudit",
    summary: "Show the latest audit records",
  }),
  defineConsolePage({
    method: "post",
    path: "/console/audit",
    operationId: "consoleAuditFilter",
    summary: "Show audit records that match a filter",
  }),
  defineConsolePage({
    method: "post",
    path: "/console/audit/export",
    operationId: "consoleAuditExport",
    summary: "Export audit records",
  }),
  defineConsolePage({
    method: "get",
    path: "/console/api",
    operationId: "consoleApi",
    summary: "Browse the management interface",
  }),
  defineConsolePage({
    method: "get",
    path: "/console/api/document",
    operationId: "consoleApiDocument",
    summary: "Load the OpenAPI document of the management interface",
  }),
  defineConsolePage({
    method: "post",
    path: "/console/actions/{action}",
    operationId: "consoleAct",
    summary: "Carry out an action",
  }),
  defineConsolePage({
    method: "get",
    path: "/console/assets/{asset}",
    operationId: "consoleAsset",
    summary: "Load a file of the pages",
  }),
];
