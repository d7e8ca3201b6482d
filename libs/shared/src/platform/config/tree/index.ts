export { schemaTree } from "../schema-tree.ts";
export type { CollectionNode, LeafNode, SchemaNode, SectionNode } from "./node.ts";
export { environmentName, formatPath, type Path, parsePath } from "./path.ts";
export { fixedLeaves, nodeAt, valueAt, valueLeaves } from "./walk.ts";
