import { messages } from "./messages.ts";
import type { Report } from "./problem.ts";
import { formatPath, type Path, parsePath } from "./tree/path.ts";
import { isMapping, type Mapping, valueAt } from "./tree/walk.ts";

/** Older names, and other products' names, of keys that mean the same here. */
export const renamedKeys: Readonly<Record<string, string>> = {
  developer_mode: "runtime.developer_mode",
  "runtime.servers.http.disabled_endpoints.auth_nginx": "runtime.servers.http.disabled_endpoints.auth_proxy",
  "runtime.servers.http.disabled_endpoints.auth_saslauthd": "runtime.servers.http.disabled_endpoints.auth_sasl",
  "storage.redis.dial_timeout": "storage.redis.connect_timeout",
};

/** Moves values of older names to today's, each with a warning; both at once is a problem. */
export function renameKeys(tree: Mapping, problem: Report, warning: Report): Mapping {
  return Object.entries(renamedKeys).reduce((current, [from, to]) => {
    const value = valueAt(current, parsePath(from));
    if (value === undefined) return current;
    if (valueAt(current, parsePath(to)) !== undefined) problem(from, messages.bothNames(to));
    else warning(from, messages.renamed(to));
    return put(remove(current, parsePath(from)), parsePath(to), value);
  }, tree);
}

function remove(tree: Mapping, path: Path): Mapping {
  const [name = "", ...rest] = path;
  const entries = Object.entries(tree).filter(([key]) => rest.length > 0 || key !== name);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === name && isMapping(value) ? remove(value, rest) : value]),
  );
}

/** A place that holds no section stays as it is, for the reader to refuse. */
function put(tree: Mapping, path: Path, value: unknown): Mapping {
  const [name = "", ...rest] = path;
  if (rest.length === 0) return { ...tree, [name]: value };
  const child = Object.hasOwn(tree, name) ? tree[name] : undefined;
  if (child !== undefined && child !== null && !isMapping(child)) return tree;
  return { ...tree, [name]: put(child ?? {}, rest, value) };
}

/** Today's name of a key that may be an older one. */
export function currentName(path: Path): Path {
  const to = renamedKeys[formatPath(path)];
  return to === undefined ? path : parsePath(to);
}
