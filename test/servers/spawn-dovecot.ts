import { execFile } from "node:child_process";
import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { type ChildServer, serverPath, startChildServer } from "./child-server.ts";
import { findDovecot23 } from "./dovecot-2.3.ts";
import { freePort } from "./free-port.ts";
import { scratchFolder } from "./scratch-folder.ts";

export interface SpawnDovecotOptions {
  /** A site's dovecot.conf; settings that depend on the machine (ports, folders, users, logs) override it. */
  readonly config: string;
  /**
   * Files by the path that the configuration names; they are placed in the temporary folder, where Dovecot's users can read them.
   */
  readonly files?: Readonly<Record<string, string>>;
}

export interface DoveadmOutcome {
  /** 0 for success, 75 (EX_TEMPFAIL) for a temporary failure. */
  readonly code: number;
  /** Both streams. */
  readonly output: string;
}

export interface Dovecot extends ChildServer {
  readonly imapPort: number;
  /** Folder of the users' home folders. */
  readonly homes: string;
  /** Runs `doveadm` against this server. */
  doveadm(...args: readonly string[]): Promise<DoveadmOutcome>;
  /** What `doveconf -n` of the same version prints about a configuration. */
  doveconf(file: string): Promise<string>;
}

const run = promisify(execFile);

/** Dovecot does not open mail as root, so tests that run as root read mail as `nobody`. */
const nobody = 65_534;

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

function mailOwner(): Owner {
  const { uid, gid } = userInfo();
  return uid === 0 ? { uid: nobody, gid: nobody } : { uid, gid };
}

/** If the master does not run as root, everything runs as the current user and nothing may chroot. */
async function unprivileged(): Promise<string> {
  const { uid, username } = userInfo();
  if (uid === 0) return "";
  const { stdout: group } = await run("id", ["-gn"]);
  const unrooted = ["anvil", "imap-login", "stats"].map((name) => `service ${name} {\n  chroot =\n}\n`).join("");
  return `default_internal_user = ${username}
default_internal_group = ${group.trim()}
default_login_user = ${username}
${unrooted}`;
}

/** Disables Dovecot's delay of failed logins, because all logins of a test come from one address. */
async function machineConfig(folder: string, imapPort: number): Promise<string> {
  const { uid, gid } = mailOwner();
  return `
base_dir = ${join(folder, "run")}
state_dir = ${join(folder, "state")}
log_path = /dev/stderr
listen = 127.0.0.1
ssl = no
auth_verbose = yes
auth_failure_delay = 0
first_valid_uid = 1
mail_home = ${join(folder, "homes")}/%Ln
mail_uid = ${uid}
mail_gid = ${gid}
${await unprivileged()}
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service imap-login {
  inet_listener imap {
    port = ${imapPort}
  }
  inet_listener imaps {
    port = 0
  }
}
`;
}

/** A real Dovecot 2.3 as child processes of this user, root or not, in a temporary folder. */
export async function spawnDovecot({ config, files = {} }: SpawnDovecotOptions): Promise<Dovecot> {
  await using owned = new AsyncDisposableStack();
  const { enter } = await findDovecot23(serverPath);
  const programOf = (name: string): [string, ...string[]] => {
    const [first, ...rest] = [...enter, name];
    return [first, ...rest];
  };
  const { path: folder } = owned.use(await scratchFolder());
  const homes = join(folder, "homes");
  const file = join(folder, "dovecot.conf");
  const imapPort = await freePort();
  const { uid, gid } = mailOwner();
  // Its login and internal users are not root.
  await chmod(folder, 0o755);
  await mkdir(homes);
  await chown(homes, uid, gid);
  let placed = config;
  for (const [path, text] of Object.entries(files)) {
    const copy = join(folder, basename(path));
    await writeFile(copy, text);
    placed = placed.replaceAll(path, copy);
  }
  await writeFile(file, `${placed}\n${await machineConfig(folder, imapPort)}`);
  const env = { PATH: serverPath };
  const [command, ...words] = programOf("dovecot");
  const server = owned.use(
    await startChildServer({ command, args: [...words, "-F", "-c", file], cwd: folder, env, port: imapPort }),
  );
  const rest = owned.move();
  return {
    ...server,
    imapPort,
    homes,
    doveadm: async (...args) => {
      try {
        const [doveadm, ...before] = programOf("doveadm");
        const ran = await run(doveadm, [...before, "-c", file, ...args], { env: { ...process.env, ...env } });
        return { code: 0, output: ran.stdout + ran.stderr };
      } catch (error) {
        const { code, stdout, stderr } = Object(error);
        return { code: typeof code === "number" ? code : -1, output: `${stdout}${stderr}` };
      }
    },
    doveconf: async (other) => {
      const [doveconf, ...before] = programOf("doveconf");
      return (await run(doveconf, [...before, "-n", "-c", other], { env: { ...process.env, ...env } })).stdout;
    },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}
