import { parseDocument } from "yaml";
import { messages } from "../messages.ts";
import type { Report } from "../problem.ts";
import { isMapping, type Mapping } from "../tree/walk.ts";

const maxFileBytes = 1_048_576;
const maxAliases = 1000;

/** The tree of a YAML text; an unreadable one is reported and counts as empty. */
export function readYaml(text: string, name: string, report: Report): Mapping {
  if (Buffer.byteLength(text) > maxFileBytes) {
    report(name, messages.tooBig(maxFileBytes));
    return {};
  }
  try {
    const document = parseDocument(text, { merge: true, uniqueKeys: true, prettyErrors: true, logLevel: "silent" });
    for (const error of document.errors)
      report(`${name}:${place(error.linePos)}`, messages.yaml(firstLine(error.message)));
    if (document.errors.length > 0) return {};
    const tree: unknown = document.toJS({ maxAliasCount: maxAliases });
    if (tree === null || tree === undefined) return {};
    if (isMapping(tree)) return tree;
    report(name, messages.notATree);
  } catch (error) {
    report(name, messages.yaml(error instanceof Error ? firstLine(error.message) : "unknown"));
  }
  return {};
}

function place(position: readonly { readonly line: number }[] | undefined): string {
  return String(position?.[0]?.line ?? 1);
}

/** The parser's messages go on with an excerpt of the file, which may hold a secret. */
function firstLine(message: string): string {
  const [line = ""] = message.split("\n");
  return line.replace(/:$/, "");
}
