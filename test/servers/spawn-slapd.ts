import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ChildServer, startChildServer } from "./child-server.ts";
import { freePort } from "./free-port.ts";
import { pause } from "./pause.ts";
import { scratchFolder } from "./scratch-folder.ts";

export interface SpawnSlapdOptions {
  /** Default `dc=example,dc=test`. */
  readonly suffix?: string;
  /** Entries below the suffix, in order; the suffix's own entry is created automatically. */
  readonly ldif?: string;
  /** Lines for the end of slapd.conf, in the database section: access rules, limits. */
  readonly databaseConfig?: string;
  /** Lines for the global section: TLS files, modules. */
  readonly globalConfig?: string;
  /** URLs to listen on in addition to the plain one, such as `ldaps://127.0.0.1:PORT` or `ldapi://…`. */
  readonly extraUrls?: readonly string[];
  readonly port?: number;
  /** Log level as in slapd's `-d`; default `stats`, `0` for nothing. */
  readonly logLevel?: string;
}

/** A real slapd with its own database, as a child process on a port of 127.0.0.1. */
export interface Slapd extends AsyncDisposable {
  readonly uri: string;
  readonly port: number;
  readonly suffix: string;
  readonly rootDn: string;
  readonly rootPassword: string;
  /** The id of the current process. */
  readonly pid: number;
  /** Its temporary folder. */
  readonly folder: string;
  signal(name: NodeJS.Signals): void;
  /** Sends SIGSTOP and waits until none of its threads runs. */
  pause(): Promise<void>;
  /** SIGCONT. */
  resume(): void;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
  /** Starts it again after `kill` or `stop`: same port, same data. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Its log since the last start: connections, binds and searches. */
  output(): string;
}

const schemas = ["core", "cosine", "inetorgperson"];
const binaryPath = `${process.env["PATH"] ?? ""}:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/libexec:/usr/libexec`;

function firstExisting(what: string, candidates: readonly string[]): string {
  const found = candidates.find((candidate) => existsSync(candidate));
  if (found === undefined) throw new Error(`no ${what} at ${candidates.join(", ")}: install OpenLDAP's slapd`);
  return found;
}

function moduleLines(): string {
  const folder = ["/usr/lib/ldap", "/usr/lib/openldap", "/usr/lib64/openldap", "/usr/libexec/openldap"].find((path) =>
    existsSync(join(path, "back_mdb.so")),
  );
  return folder === undefined ? "" : `modulepath ${folder}\nmoduleload back_mdb\n`;
}

function configText(folder: string, suffix: string, rootPassword: string, options: SpawnSlapdOptions): string {
  const schemaFolder = firstExisting("LDAP schema folder", ["/etc/ldap/schema", "/etc/openldap/schema"]);
  return `${schemas.map((name) => `include ${join(schemaFolder, `${name}.schema`)}`).join("\n")}
pidfile ${join(folder, "slapd.pid")}
argsfile ${join(folder, "slapd.args")}
threads 4
${moduleLines()}${options.globalConfig ?? ""}
database mdb
suffix "${suffix}"
rootdn "cn=admin,${suffix}"
rootpw ${rootPassword}
directory ${join(folder, "data")}
maxsize 67108864
index objectClass,uid,mail,cn eq
${options.databaseConfig ?? ""}
`;
}

function suffixEntry(suffix: string): string {
  const domain = suffix.split(",")[0]?.replace(/^dc=/, "") ?? "";
  return `dn: ${suffix}\nobjectClass: dcObject\nobjectClass: organization\no: ${domain}\ndc: ${domain}\n\n`;
}

export async function spawnSlapd(options: SpawnSlapdOptions = {}): Promise<Slapd> {
  const { suffix = "dc=example,dc=test", port = await freePort(), extraUrls = [], logLevel = "stats" } = options;
  const scratch = await scratchFolder();
  const folder = scratch.path;
  const rootPassword = "slapd-root-password";
  const config = join(folder, "slapd.conf");
  const ldif = join(folder, "content.ldif");
  await mkdir(join(folder, "data"));
  await writeFile(config, configText(folder, suffix, rootPassword, options));
  await writeFile(ldif, suffixEntry(suffix) + (options.ldif ?? ""));
  await promisify(execFile)("slapadd", ["-q", "-f", config, "-l", ldif], { env: { PATH: binaryPath } });

  const urls = [`ldap://127.0.0.1:${port}`, ...extraUrls].join(" ");
  const launch = (): Promise<ChildServer> =>
    startChildServer({
      command: "slapd",
      args: ["-f", config, "-h", urls, "-d", logLevel],
      env: { PATH: binaryPath },
      port,
    });
  let server = await launch();
  return {
    uri: `ldap://127.0.0.1:${port}`,
    port,
    suffix,
    rootDn: `cn=admin,${suffix}`,
    rootPassword,
    get pid() {
      return server.pid;
    },
    folder,
    signal: (name) => server.signal(name),
    pause: () => pause(server),
    resume: () => server.signal("SIGCONT"),
    kill: async () => {
      const exited = once(server.process, "exit");
      server.signal("SIGKILL");
      await exited;
    },
    start: async () => {
      server = await launch();
    },
    stop: async () => void (await server.stop()),
    output: () => server.output(),
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await scratch[Symbol.asyncDispose]();
    },
  };
}
