import { AppError } from "@postern/shared/platform/errors";
import { type FilterNode, parseFilter } from "./filter-parser.ts";
import { usesMacro } from "./macros.ts";

/** Macros that identify the user who signs in; the domain alone would match all its users. */
const userMacros: ReadonlySet<string> = new Set(["user", "username"]);
/** Macros that identify a member of groups. */
const memberMacros: ReadonlySet<string> = new Set([...userMacros, "user_dn", "account"]);

/** Whether every match of the filter equals the name in at least one attribute. */
function isBound(node: FilterNode, macros: ReadonlySet<string>): boolean {
  switch (node.kind) {
    case "and":
      return node.children.some((child) => isBound(child, macros));
    case "or":
      return node.children.every((child) => isBound(child, macros));
    case "not":
    case "present":
      return false;
    case "substring":
      return node.pieces.some((piece) => usesMacro(piece, macros));
    case "equal":
    case "approximate":
    case "extensible":
      return usesMacro(node.value, macros);
    case "atLeast":
    case "atMost":
      return false;
    default:
      return node satisfies never;
  }
}

function names(node: FilterNode, macros: ReadonlySet<string>): boolean {
  if (node.kind === "and" || node.kind === "or") return node.children.some((child) => names(child, macros));
  return node.kind === "not" ? names(node.child, macros) : isBound(node, macros);
}

/**
 * Requires the name in the filter or in the base. Without it, a search finds the same entry for every name, so the
 * owner of that entry's password could sign in under any name. Each alternative of `(|…)` needs the name. Throws
 * `CONFIG_INVALID`.
 */
export function requireUserName(filter: string, baseDn: string): void {
  if (usesMacro(baseDn, userMacros) || isBound(parseFilter(filter), userMacros)) return;
  throw new AppError("CONFIG_INVALID", {
    detail: `LDAP filter ${JSON.stringify(filter)} matches entries regardless of the user name: compare an attribute with %s, %{user} or %{username}, in each alternative`,
  });
}

/** Requires a member in a group filter: without one, every user is in the same groups. Throws `CONFIG_INVALID`. */
export function requireMember(filter: string): void {
  if (names(parseFilter(filter), memberMacros)) return;
  throw new AppError("CONFIG_INVALID", {
    detail: `LDAP filter ${JSON.stringify(filter)} finds the same groups for every user: compare an attribute with %{user_dn}, %{account} or %{user}`,
  });
}
