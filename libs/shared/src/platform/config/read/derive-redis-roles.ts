import { formatPath, type Path } from "../tree/path.ts";
import { isMapping, valueAt } from "../tree/walk.ts";
import { assign, type Draft, follow, isDefault } from "./draft.ts";

const redis = ["storage", "redis"] as const;
const roles = ["state", "queue", "cache"] as const;
const ownConnection: readonly Path[] = [["url"], ["sentinels", "master"], ["cluster", "addresses"]];
const sharedSections = ["tls", "sentinels", "cluster"] as const;

/** A role that does not configure its own server uses the shared connection, except for keys that it sets itself. */
export function deriveRedisRoles(draft: Draft): void {
  for (const role of roles) {
    const path: Path = [...redis, "roles", role];
    if (ownConnection.every((key) => isDefault(draft, [...path, ...key]))) takeShared(draft, path);
  }
}

function takeShared(draft: Draft, role: Path): void {
  for (const name of ["username", "password"]) followUnset(draft, [...role, name], [...redis, "primary", name]);
  followUnset(draft, [...role, "database_number"], [...redis, "database_number"]);
  for (const section of sharedSections) {
    const keys = valueAt(draft.root, [...redis, section]);
    for (const name of isMapping(keys) ? Object.keys(keys) : []) {
      followUnset(draft, [...role, section, name], [...redis, section, name]);
    }
  }
  const url = sharedUrl(draft);
  if (url !== undefined) assign(draft, [...role, "url"], url.text, formatPath(url.from));
}

function followUnset(draft: Draft, path: Path, from: Path): void {
  if (isDefault(draft, path)) follow(draft, path, from);
}

function sharedUrl(draft: Draft): { readonly text: string; readonly from: Path } | undefined {
  const addressPath: Path = [...redis, "primary", "address"];
  const databasePath: Path = [...redis, "database_number"];
  const address = valueAt(draft.root, addressPath);
  const database = valueAt(draft.root, databasePath);
  const isTls = valueAt(draft.root, [...redis, "tls", "enabled"]) === true;
  const isNamed = typeof address === "string" && address !== "";
  if (!isNamed && isDefault(draft, databasePath) && !isTls) return undefined;
  const text = `${isTls ? "rediss" : "redis"}://${isNamed ? address : "127.0.0.1:6379"}/${String(database)}`;
  return { text, from: isNamed ? addressPath : databasePath };
}
