import { messages } from "../messages.ts";
import type { Report } from "../problem.ts";
import { formatPath, type Path } from "../tree/path.ts";
import { isMapping } from "../tree/walk.ts";

const placeholder = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g;

/** Replaces `${NAME}` in every text; `$${` stands for `${`. Keys are left alone, and a value is expanded once. */
export function expandTree(
  tree: unknown,
  variable: (name: string) => string | undefined,
  report: Report,
  path: Path = [],
): unknown {
  if (typeof tree === "string")
    return expandText(tree, variable, (reason, hint) => report(formatPath(path), reason, hint));
  if (Array.isArray(tree)) return tree.map((item, index) => expandTree(item, variable, report, [...path, index]));
  if (!isMapping(tree)) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([name, value]) => [name, expandTree(value, variable, report, [...path, name])]),
  );
}

/** Replaces the placeholders of one text. */
export function expandText(
  text: string,
  variable: (name: string) => string | undefined,
  problem: (reason: string, hint?: string) => void,
): string {
  return text.replaceAll(placeholder, (found: string, name: string | undefined) => {
    if (found === "$${") return "${";
    if (name === undefined) {
      problem(messages.unclosedVariable, messages.literalDollar);
      return found;
    }
    const value = variable(name);
    if (value === undefined) problem(messages.missingVariable(name), messages.literalDollar);
    return value ?? "";
  });
}
