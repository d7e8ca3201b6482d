export { schemaTree } from "../schema-tree.ts";
export type { CollectionNode, LeafNode, SchemaNode, SectionNode } from "./node.ts";
export {
  environmentName,
  fixedLeaves,
  formatPath,
  nodeAt,
  type Path,
  parsePath,
  valueAt,
  valueLeaves,
} from "./walk.ts";
