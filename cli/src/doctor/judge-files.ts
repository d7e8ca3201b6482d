import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Config, ConfigSources } from "@postern/shared/platform/config";
import { type Finding, findingsOf } from "./finding.ts";

const groupWrites = 0o020;
const othersRead = 0o004;
const othersWrite = 0o002;
const sticky = 0o1000;

const stateOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

/** Private keys of Postern's own listeners and clients. */
function keyFiles({ runtime, storage, auth }: Config): readonly string[] {
  const { http, grpc } = runtime.servers;
  return [
    ...(http.tls.enabled ? [http.tls.key] : []),
    ...(grpc.authority.enabled ? [grpc.authority.tls.key] : []),
    runtime.bus.tls.key,
    runtime.regions.bus.tls.key,
    ...(["state", "queue", "cache"] as const).map((role) => storage.redis.roles[role].tls.key),
    auth.backends.ldap.default.tls_client_key,
    ...Object.values(auth.backends.ldap.pools).map((pool) => pool.tls_client_key),
  ];
}

function judgeSecret(file: string): readonly Finding[] {
  const { problem, warning } = findingsOf("secrets");
  const mode = stateOf(file)?.mode ?? 0;
  if ((mode & othersWrite) !== 0)
    return [problem(`${file} can be changed by every user of this machine`, `chmod 0640 ${file}`)];
  if ((mode & othersRead) !== 0)
    return [warning(`${file} is readable by every user of this machine`, `chmod 0640 ${file}`)];
  if ((mode & groupWrites) !== 0) return [warning(`${file} can be changed by its group`, `chmod g-w ${file}`)];
  return [];
}

/** Who may change a folder may replace each file in it. */
function judgeFolder(folder: string): readonly Finding[] {
  const mode = stateOf(folder)?.mode ?? 0;
  if ((mode & othersWrite) === 0 || (mode & sticky) !== 0) return [];
  const found = `every user of this machine can replace the files in ${folder}`;
  return [findingsOf("secrets").problem(found, `chmod o-w ${folder}`)];
}

function judgeConfigurationFile(file: string): readonly Finding[] {
  const { problem, warning } = findingsOf("configuration");
  const mode = stateOf(file)?.mode ?? 0;
  if ((mode & othersWrite) !== 0)
    return [problem(`${file} can be changed by every user of this machine`, `chmod 0640 ${file}`)];
  if ((mode & othersRead) === 0) return [];
  return [warning(`${file} is readable by every user of this machine`, `chmod 0640 ${file}`)];
}

/** Files with the site's settings and secrets that others than owner and group can read or change. */
export function judgeFiles(file: string, config: Config, sources: ConfigSources): readonly Finding[] {
  const named = [...sources.values()].flatMap(({ kind, name }) =>
    kind === "secret-file" && name !== undefined ? [name] : [],
  );
  const secrets = [...new Set([...named, ...keyFiles(config)])].filter((name) => name !== "");
  const folders = new Set([file, ...secrets].map((name) => dirname(name)));
  return [...judgeConfigurationFile(file), ...secrets.flatMap(judgeSecret), ...[...folders].flatMap(judgeFolder)];
}
