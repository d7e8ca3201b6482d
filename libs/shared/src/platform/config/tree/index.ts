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
  variablePart,
  variablePrefix,
} from "./walk.ts";
