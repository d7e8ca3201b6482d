import { isMapping } from "../../json/index.ts";
import { messages } from "../messages.ts";
import type { Report } from "../problem.ts";
import { formatPath, type Path } from "../tree/walk.ts";

const placeholder = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g;

export interface Expansion {
  /** The value of a variable, for the key at `path`. */
  readonly variable: (name: string, path: Path) => string | undefined;
  readonly problem: Report;
}

/** Replaces `${NAME}` in every text; `$${` stands for `${`. Keys are left alone, and a value is expanded once. */
export function expandTree(tree: unknown, path: Path, expansion: Expansion): unknown {
  if (typeof tree === "string") return expandText(tree, path, expansion);
  if (Array.isArray(tree)) return tree.map((item, index) => expandTree(item, [...path, index], expansion));
  if (!isMapping(tree)) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([name, value]) => [name, expandTree(value, [...path, name], expansion)]),
  );
}

/** Replaces the placeholders of one text. */
export function expandText(text: string, path: Path, { variable, problem }: Expansion): string {
  return text.replaceAll(placeholder, (found: string, name: string | undefined) => {
    if (found === "$${") return "${";
    if (name === undefined) {
      problem(formatPath(path), messages.unclosedVariable, messages.literalDollar);
      return found;
    }
    const value = variable(name, path);
    if (value === undefined) problem(formatPath(path), messages.missingVariable(name), messages.literalDollar);
    return value ?? "";
  });
}
