import { acceptedKeys } from "../accepted-keys.ts";
import { messages } from "../messages.ts";
import { nearestName } from "../nearest-name.ts";
import type { Report } from "../problem.ts";
import type { SectionNode } from "../tree/node.ts";
import { environmentName } from "../tree/path.ts";
import { fixedLeaves } from "../tree/walk.ts";
import type { Environment } from "./environment.ts";

/** Warns about variables with the prefix that match no key. They may belong to another program, so they are not problems. */
export function warnUnusedVariables(tree: SectionNode, environment: Environment, warning: Report): void {
  const unused = environment.unused();
  if (unused.length === 0) return;
  const known = fixedLeaves(tree).flatMap(({ path, node }) => {
    const name = environmentName(path, environment.prefix);
    return node.secret ? [name, `${name}_FILE`] : [name];
  });
  for (const name of unused) {
    if (isAccepted(name, environment.prefix)) {
      warning(name, messages.noEffect);
    } else {
      const near = nearestName(name, known);
      warning(name, messages.unknownVariable, near === undefined ? undefined : messages.didYouMean(near));
    }
  }
}

function isAccepted(name: string, prefix: string): boolean {
  return acceptedKeys.some((row) => {
    const path = row.split(".");
    const isSubtree = path.at(-1) === "**";
    const own = environmentName(isSubtree ? path.slice(0, -1) : path, prefix);
    return name === own || (isSubtree && name.startsWith(`${own}_`));
  });
}
