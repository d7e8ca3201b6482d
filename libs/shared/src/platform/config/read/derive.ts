import type { SectionNode } from "../tree/node.ts";
import { parsePath } from "../tree/path.ts";
import { valueLeaves } from "../tree/walk.ts";
import { deriveRedisRoles } from "./derive-redis-roles.ts";
import { type Draft, follow, isDefault } from "./draft.ts";

/** Fills unset keys from the keys that they follow. */
export function derive(tree: SectionNode, draft: Draft): void {
  for (const { path, node } of valueLeaves(tree, draft.root)) {
    if (node.defaultFrom !== undefined && isDefault(draft, path)) follow(draft, path, parsePath(node.defaultFrom));
  }
  deriveRedisRoles(draft);
}
