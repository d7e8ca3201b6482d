import type { OperationId } from "../operations.ts";
import { type ConsoleRole, rankOfRole } from "./actions.ts";

export interface ConsolePageRow {
  /** In the navigation and the page's title. */
  readonly title: string;
  readonly operation: OperationId;
  /** The lowest role that may open it. */
  readonly role: ConsoleRole;
}

/** Pages of the console in the order of its navigation. docs/guides/console.md has the same rows; a test compares them. */
export const consolePages = {
  search: { title: "Search", operation: "consoleSearch", role: "helpdesk" },
  account: { title: "Account", operation: "consoleAccount", role: "helpdesk" },
  bans: { title: "Bans and attacks", operation: "consoleBans", role: "helpdesk" },
  clients: { title: "Clients", operation: "consoleClients", role: "helpdesk" },
  system: { title: "System", operation: "consoleSystem", role: "helpdesk" },
  audit: { title: "Audit", operation: "consoleAudit", role: "security" },
  api: { title: "API", operation: "consoleApi", role: "helpdesk" },
} as const satisfies Readonly<Record<string, ConsolePageRow>>;

export type ConsolePageId = keyof typeof consolePages;

/** Whether an operator of this role may open the page. */
export function mayOpen(role: ConsoleRole, page: ConsolePageId): boolean {
  return rankOfRole(role) >= rankOfRole(consolePages[page].role);
}
