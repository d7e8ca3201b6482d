import type { OperationId } from "../operations.ts";
import { type ConsoleRole, type OperatorRight, rankOfRole } from "./actions.ts";
import { consolePageOperations } from "./page-operations.ts";

type ConsoleRoute = (typeof consolePageOperations)[number];

/**
 * Pages of the console in the order of its navigation, with the lowest role that may open them. docs/operate/console.md has the same rows; a
 * test compares them.
 */
export const consolePages = {
  overview: { title: "Overview", operation: "consoleOverview", role: "helpdesk" },
  origins: { title: "Where from", operation: "consoleOrigins", role: "helpdesk" },
  search: { title: "Search", operation: "consoleSearch", role: "helpdesk" },
  account: { title: "Account", operation: "consoleAccount", role: "helpdesk" },
  bans: { title: "Bans and attacks", operation: "consoleBans", role: "helpdesk" },
  domains: { title: "Domains", operation: "consoleDomains", role: "helpdesk" },
  clients: { title: "Clients", operation: "consoleClients", role: "helpdesk" },
  system: { title: "System", operation: "consoleSystem", role: "helpdesk" },
  shadow: { title: "Shadow", operation: "consoleShadow", role: "helpdesk" },
  configuration: { title: "Configuration", operation: "consoleConfiguration", role: "admin" },
  rehearsal: { title: "Rehearsal", operation: "consoleRehearsal", role: "admin" },
  audit: { title: "Audit", operation: "consoleAudit", role: "security" },
  api: { title: "API", operation: "consoleApi", role: "helpdesk" },
} as const satisfies Readonly<Record<string, Readonly<{ title: string; operation: OperationId; role: ConsoleRole }>>>;

export type ConsolePageId = keyof typeof consolePages;

/** Who gets a route: everyone, every operator, those of this role or a higher one, or those who may open the page to which it belongs. */
export type ConsoleRight = "everyone" | "operator" | "security" | ConsolePageId;

type RouteRights = { readonly [Route in ConsoleRoute as Route["operationId"]]: Route["right"] };

function rightsOfRoutes(): RouteRights;
function rightsOfRoutes() {
  return Object.fromEntries(consolePageOperations.map(({ operationId, right }) => [operationId, right]));
}

/** The right that each route of the console requires. What an action requires is in `consoleActions`. */
export const consoleRoutes = rightsOfRoutes() satisfies Readonly<Record<string, ConsoleRight>>;

/** Pages on which operators of one domain see its accounts. The others are about the site. */
const pagesOfDomains: ReadonlySet<ConsoleRight> = new Set<ConsolePageId>(["search", "account", "domains", "audit"]);

/** Whether there is such a route for operators of one domain. */
export function isOfDomains(right: Exclude<ConsoleRight, "everyone">): boolean {
  return right === "operator" || pagesOfDomains.has(right);
}

export function hasRight(operator: OperatorRight, right: Exclude<ConsoleRight, "everyone">): boolean {
  if (operator.domain !== undefined && !isOfDomains(right)) return false;
  if (right === "security") return rankOfRole(operator.role) >= rankOfRole("security");
  return right === "operator" || rankOfRole(operator.role) >= rankOfRole(consolePages[right].role);
}
