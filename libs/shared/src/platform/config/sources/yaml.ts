import { parseDocument } from "yaml";
import { isMapping, type Mapping } from "../../json/index.ts";
import { messages } from "../messages.ts";
import type { Report } from "../problem.ts";

const maxFileBytes = 1_048_576;
const maxAliases = 1000;
const maxDepth = 32;

/**
 * The tree of a YAML text; an unreadable one is reported and counts as empty.
 * The parser's messages quote the file, which may contain secrets, so only its error codes are reported.
 */
export function readYaml(text: string, name: string, report: Report): Mapping {
  if (Buffer.byteLength(text) > maxFileBytes) {
    report(name, messages.tooBig(maxFileBytes));
    return {};
  }
  try {
    const document = parseDocument(text, { merge: true, uniqueKeys: true, prettyErrors: true, logLevel: "error" });
    for (const error of document.errors) {
      report(`${name}:${place(error.linePos)}`, messages.yaml(error.code.toLowerCase().replaceAll("_", " ")));
    }
    if (document.errors.length > 0) return {};
    const tree: unknown = document.toJS({ maxAliasCount: maxAliases });
    if (tree === null || tree === undefined) return {};
    if (isMapping(tree) && isShallow(tree, maxDepth)) return tree;
    report(name, isMapping(tree) ? messages.tooDeep(maxDepth) : messages.notATree);
  } catch {
    report(name, messages.yaml("an alias without an anchor, too many aliases, or too many levels"));
  }
  return {};
}

/** An alias to its own parent makes an endless tree, which is too deep too. */
function isShallow(tree: unknown, depth: number): boolean {
  if (typeof tree !== "object" || tree === null) return true;
  return depth > 0 && Object.values(tree).every((child) => isShallow(child, depth - 1));
}

function place(position: readonly { readonly line: number; readonly col: number }[] | undefined): string {
  const [begin = { line: 1, col: 1 }] = position ?? [];
  return `${begin.line}:${begin.col}`;
}
