import { isMapping, type Mapping } from "../json/index.ts";
import { messages } from "./messages.ts";
import type { Report } from "./problem.ts";
import { formatPath, type Path, parsePath, valueAt } from "./tree/walk.ts";

/** Older names, and names in other products, of keys with the same meaning. */
export const renamedKeys: Readonly<Record<string, string>> = {
  developer_mode: "runtime.developer_mode",
  "runtime.servers.http.disabled_endpoints.auth_nginx": "runtime.servers.http.disabled_endpoints.auth_proxy",
  "runtime.servers.http.disabled_endpoints.auth_saslauthd": "runtime.servers.http.disabled_endpoints.auth_sasl",
  "storage.redis.dial_timeout": "storage.redis.connect_timeout",
};

/** Names under which other files of this tree give the path of a secret's file, beside `{ file: … }`. */
const secretFiles: Readonly<Record<string, string>> = { "identity.saml.key_file": "identity.saml.key" };

function withSecretFiles(tree: Mapping, problem: Report): Mapping {
  return Object.entries(secretFiles).reduce((current, [from, to]) => {
    const file = valueAt(current, parsePath(from));
    if (file === undefined) return current;
    const without = remove(current, parsePath(from));
    if (file === "") return without;
    if (valueAt(current, parsePath(to)) !== undefined) problem(from, messages.bothNames(to));
    return put(without, parsePath(to), { file });
  }, tree);
}

/** Moves values from alternative names to the current ones, with a warning each. It is a problem if both are set. */
export function renameKeys(tree: Mapping, problem: Report, warning: Report): Mapping {
  return Object.entries(renamedKeys).reduce(
    (current, [from, to]) => {
      const value = valueAt(current, parsePath(from));
      if (value === undefined) return current;
      if (valueAt(current, parsePath(to)) !== undefined) problem(from, messages.bothNames(to));
      else warning(from, messages.renamed(to));
      return put(remove(current, parsePath(from)), parsePath(to), value);
    },
    withSecretFiles(tree, problem),
  );
}

function remove(tree: Mapping, path: Path): Mapping {
  const [name = "", ...rest] = path;
  const entries = Object.entries(tree).filter(([key]) => rest.length > 0 || key !== name);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === name && isMapping(value) ? remove(value, rest) : value]),
  );
}

/** A value that is not a section is left unchanged; the reader rejects it. */
function put(tree: Mapping, path: Path, value: unknown): Mapping {
  const [name = "", ...rest] = path;
  if (rest.length === 0) return { ...tree, [name]: value };
  const child = Object.hasOwn(tree, name) ? tree[name] : undefined;
  if (child !== undefined && child !== null && !isMapping(child)) return tree;
  return { ...tree, [name]: put(child ?? {}, rest, value) };
}

/** The current name of a key. */
export function currentName(path: Path): Path {
  const to = renamedKeys[formatPath(path)];
  return to === undefined ? path : parsePath(to);
}
