import { execFile } from "node:child_process";
import { chown, cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { serverPath } from "./child-server.ts";
import { type DatabaseServer, databaseServer } from "./database-server.ts";
import { freePort } from "./free-port.ts";
import { scratchFolder } from "./scratch-folder.ts";
import { type UserIds, unprivileged } from "./unprivileged.ts";

export interface SpawnMariadbOptions {
  readonly port?: number;
  /** SQL that fills the database `mail`. */
  readonly sql?: string;
  /** PEM files; if given, the server also offers TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** Copies that the server's own user can read. */
async function tlsArguments(
  tls: SpawnMariadbOptions["tls"],
  { folder, ids }: { readonly folder: string; readonly ids: UserIds | undefined },
): Promise<readonly string[]> {
  if (tls === undefined) return [];
  const args: string[] = [];
  for (const name of ["cert", "key"] as const) {
    const file = join(folder, `server.${name}`);
    await cp(tls[name], file);
    if (ids !== undefined) await chown(file, ids.uid, ids.gid);
    args.push(`--ssl-${name}=${file}`);
  }
  return args;
}

/** A real MariaDB with the database `mail`, as a child process on a port of 127.0.0.1. */
export async function spawnMariadb(options: SpawnMariadbOptions = {}): Promise<DatabaseServer> {
  const { port = await freePort(), sql = "", tls } = options;
  const scratch = await scratchFolder();
  const ids = unprivileged();
  const data = join(scratch.path, "data");
  const password = "mariadb-test-password";
  const init = join(scratch.path, "init.sql");
  await mkdir(data, { mode: 0o700 });
  // The installation ignores grants until they are loaded.
  const account = `FLUSH PRIVILEGES;
CREATE DATABASE mail CHARACTER SET utf8mb4;
CREATE USER postern@'127.0.0.1' IDENTIFIED BY '${password}';
GRANT ALL ON mail.* TO postern@'127.0.0.1';
USE mail;
`;
  await writeFile(init, account + sql);
  if (ids !== undefined) for (const owned of [scratch.path, data, init]) await chown(owned, ids.uid, ids.gid);
  const spawnOptions = { ...ids, env: { PATH: serverPath, TZ: "UTC" }, cwd: scratch.path };
  const install = ["--no-defaults", `--datadir=${data}`, "--auth-root-authentication-method=normal", "--skip-test-db"];
  await promisify(execFile)(
    "mariadb-install-db",
    [...install, "--skip-name-resolve", `--extra-file=${init}`],
    spawnOptions,
  );
  // What was committed survives a kill of the server, though not of the host.
  const small = ["--innodb-buffer-pool-size=16M", "--innodb-log-file-size=8M", "--innodb-flush-log-at-trx-commit=2"];
  const log = join(scratch.path, "queries.log");
  const args = [
    "--no-defaults",
    `--datadir=${data}`,
    `--port=${port}`,
    "--bind-address=127.0.0.1",
    "--skip-name-resolve",
  ];
  return databaseServer({
    command: "mariadbd",
    args: [
      ...args,
      ...small,
      `--socket=${join(scratch.path, "socket")}`,
      `--pid-file=${join(scratch.path, "pid")}`,
      "--general-log=1",
      `--general-log-file=${log}`,
      ...(await tlsArguments(tls, { folder: scratch.path, ids })),
    ],
    spawnOptions,
    port,
    database: "mail",
    user: "postern",
    password,
    scratch,
  });
}
