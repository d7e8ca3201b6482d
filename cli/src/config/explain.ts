import {
  type Config,
  type ConfigSources,
  createAcceptedKeys,
  currentName,
  messages,
  nearestName,
  type Reload,
  redactNode,
  schemaTree,
  type ValueSource,
} from "@postern/shared/platform/config";
import {
  environmentName,
  fixedLeaves,
  formatPath,
  type LeafNode,
  nodeAt,
  type Path,
  parsePath,
  valueAt,
} from "@postern/shared/platform/config/tree";
import { showType, showValue } from "./show-value.ts";

/** Everything about one key. Values are spelled as in a file; a secret's is masked. */
export interface KeyExplanation {
  readonly kind: "key";
  readonly path: string;
  readonly description: string;
  readonly type: string;
  /** Absent: the key is required. */
  readonly defaultValue?: string | undefined;
  readonly defaultFrom?: string | undefined;
  readonly environment: string;
  readonly reload: Reload;
  readonly secret: boolean;
  /** Absent without a loaded configuration, and for entries that it does not have. */
  readonly value?: string | undefined;
  readonly source?: ValueSource | undefined;
}

export type Explanation =
  | KeyExplanation
  | { readonly kind: "section"; readonly path: string; readonly description: string; readonly keys: readonly string[] }
  | { readonly kind: "accepted"; readonly path: string; readonly description: string }
  | { readonly kind: "unknown"; readonly path: string; readonly near?: string | undefined };

type Loaded = { readonly config: Config; readonly sources: ConfigSources };

/** Whether a path is a key, a section, an accepted key without effect, or unknown. */
export function explainKey(text: string, loaded?: Loaded): Explanation {
  const path = currentName(parsePath(text));
  const node = nodeAt(schemaTree, path);
  if (node === undefined) return explainUnknown(path);
  if (node.kind === "leaf") return explainLeaf(node, path, loaded);
  const children = node.kind === "section" ? node.children : node.entry.children;
  const inner = node.kind === "list" ? "[]." : node.kind === "map" ? ".<name>." : ".";
  const keys = [...children.keys()].map((name) => `${formatPath(path)}${inner}${name}`);
  return { kind: "section", path: formatPath(path), description: node.description, keys };
}

function explainLeaf(node: LeafNode, path: Path, loaded: Loaded | undefined): KeyExplanation {
  const pathText = formatPath(path);
  const value = loaded === undefined ? undefined : redactNode(node, valueAt(loaded.config, path));
  return {
    kind: "key",
    path: pathText,
    description: node.description,
    type: showType(node),
    defaultValue: node.default === undefined ? undefined : showValue(node, node.default),
    defaultFrom: node.defaultFrom,
    environment: environmentName(path),
    reload: node.reload ?? "restart",
    secret: node.secret,
    value: value === undefined ? undefined : showValue(node, value),
    source: loaded?.sources.get(pathText),
  };
}

function explainUnknown(path: Path): Explanation {
  const text = formatPath(path);
  if (createAcceptedKeys().coverage(path) !== "none")
    return { kind: "accepted", path: text, description: messages.noEffect };
  const known = fixedLeaves(schemaTree).map((leaf) => formatPath(leaf.path));
  return { kind: "unknown", path: text, near: nearestName(text, known) };
}
