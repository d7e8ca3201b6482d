import { type AcceptedKeys, createAcceptedKeys } from "../accepted-keys.ts";
import { messages } from "../messages.ts";
import { nearestName } from "../nearest-name.ts";
import type { Report } from "../problem.ts";
import { formatPath, type Path } from "../tree/path.ts";
import { isMapping } from "../tree/walk.ts";

/** Keys of the compatible product's tree are warned about once each; `x-…` roots hold anchors; all else is refused. */
export function createUnknownKeys(problem: Report, warning: Report, accepted: AcceptedKeys = createAcceptedKeys()) {
  function visit(path: Path, value: unknown, siblings: readonly string[]): void {
    const name = String(path.at(-1));
    if (path.length === 1 && name.startsWith("x-")) return;
    const coverage = accepted.coverage(path);
    if (coverage === "covered") {
      warning(formatPath(path), messages.noEffect);
    } else if (coverage === "above" && (isMapping(value) || Array.isArray(value) || value === null)) {
      visitBelow(path, value);
    } else {
      const near = nearestName(name, [...siblings, ...accepted.namesBelow(path.slice(0, -1))]);
      const isInclude = path.length === 1 && name === "includes";
      if (isInclude) problem(formatPath(path), messages.includes);
      else problem(formatPath(path), messages.unknownKey, near === undefined ? undefined : messages.didYouMean(near));
    }
  }

  function visitBelow(path: Path, value: unknown): void {
    if (Array.isArray(value)) value.forEach((item, index) => visit([...path, index], item, []));
    else if (isMapping(value)) for (const [name, item] of Object.entries(value)) visit([...path, name], item, []);
  }

  return {
    /** `siblings`: the names that the schema has at this place. */
    visit,
  };
}

/** Checks keys that are not in the schema. */
export type UnknownKeys = ReturnType<typeof createUnknownKeys>;
