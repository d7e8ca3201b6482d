import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chown, cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type DatabaseServer, databaseServer } from "./database-server.ts";
import { freePort } from "./free-port.ts";
import { scratchFolder } from "./scratch-folder.ts";
import { unprivileged } from "./unprivileged.ts";

export interface SpawnPostgresqlOptions {
  readonly port?: number;
  /** SQL that fills the database `mail`. */
  readonly sql?: string;
  /** PEM files; if given, the server also offers TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

const run = promisify(execFile);
const root = "/usr/lib/postgresql";

function binFolder(): string {
  const versions = existsSync(root) ? readdirSync(root).toSorted((a, b) => Number(b) - Number(a)) : [];
  const found = versions
    .map((version) => join(root, version, "bin"))
    .find((path) => existsSync(join(path, "postgres")));
  if (found === undefined) throw new Error(`no PostgreSQL server below ${root}: install the package postgresql`);
  return found;
}

/** A real PostgreSQL with the database `mail`, as a child process on a port of 127.0.0.1. */
export async function spawnPostgresql(options: SpawnPostgresqlOptions = {}): Promise<DatabaseServer> {
  const { port = await freePort(), sql = "", tls } = options;
  const scratch = await scratchFolder();
  const bin = binFolder();
  const ids = unprivileged();
  const data = join(scratch.path, "data");
  const passwordFile = join(scratch.path, "password");
  const seed = join(scratch.path, "seed.sql");
  const password = "postgresql-test-password";
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, password);
  await writeFile(seed, sql);
  if (ids !== undefined) for (const path of [scratch.path, data]) await chown(path, ids.uid, ids.gid);
  const env = { LC_ALL: "C.UTF-8", TZ: "UTC" };
  const spawnOptions = { ...ids, env, cwd: scratch.path };
  const initdb = ["-D", data, "-U", "postern", "-A", "scram-sha-256", `--pwfile=${passwordFile}`, "-E", "UTF8", "-N"];
  await run(join(bin, "initdb"), initdb, spawnOptions);
  // A single-user server fills it before clients can connect.
  await feed(join(bin, "postgres"), ["--single", "-D", data, "postgres"], {
    ...spawnOptions,
    input: "CREATE DATABASE mail;\n",
  });
  if (sql !== "") {
    await feed(join(bin, "postgres"), ["--single", "-j", "-D", data, "mail"], { ...spawnOptions, input: sql });
  }
  const tlsArguments: string[] = [];
  if (tls !== undefined) {
    for (const name of ["cert", "key"] as const) {
      const file = join(data, `server.${name}`);
      await cp(tls[name], file);
      if (ids !== undefined) await chown(file, ids.uid, ids.gid);
    }
    tlsArguments.push("-c", "ssl=on", "-c", "ssl_cert_file=server.cert", "-c", "ssl_key_file=server.key");
  }
  // What was committed survives a kill of the server, though not of the host.
  const settings = ["fsync=off", "shared_buffers=16MB", "log_statement=all"];
  const args = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", "", ...settings.flatMap((one) => ["-c", one])];
  return databaseServer({
    command: join(bin, "postgres"),
    args: [...args, ...tlsArguments],
    spawnOptions,
    port,
    database: "mail",
    user: "postern",
    password,
    scratch,
  });
}

async function feed(
  command: string,
  args: readonly string[],
  {
    input,
    ...options
  }: { readonly input: string; readonly env: Readonly<Record<string, string>>; readonly cwd: string },
): Promise<void> {
  const running = run(command, args, options);
  running.child.stdin?.end(input);
  const { stderr } = await running;
  if (/\b(?:ERROR|FATAL|PANIC):/.test(stderr)) throw new Error(`PostgreSQL rejected the seed:\n${stderr}`);
}
