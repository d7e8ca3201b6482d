import { execFile } from "node:child_process";
import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { type ChildServer, startChildServer } from "./child-server.ts";
import { freePort } from "./free-port.ts";
import { scratchFolder } from "./scratch-folder.ts";

export interface SpawnDovecotOptions {
  /** A site's dovecot.conf; what depends on the machine (ports, folders, users, logs) is laid over it. */
  readonly config: string;
  /** Files by the path that the configuration names; they lie in the throw-away folder, where Dovecot's users can read them. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface DoveadmOutcome {
  /** 0 for success, 75 (EX_TEMPFAIL) where Dovecot could not find out. */
  readonly code: number;
  /** Both streams. */
  readonly output: string;
}

export interface Dovecot extends ChildServer {
  readonly imapPort: number;
  /** Home folders are made in it. */
  readonly homes: string;
  /** `doveadm` against this server. */
  doveadm(...args: readonly string[]): Promise<DoveadmOutcome>;
}

const run = promisify(execFile);
const binaryPath = `${process.env["PATH"] ?? ""}:/usr/local/sbin:/usr/sbin:/sbin`;

/** Dovecot opens no mail as root, so root's tests read mail as nobody. */
const nobody = 65_534;

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

function mailOwner(): Owner {
  const { uid, gid } = userInfo();
  return uid === 0 ? { uid: nobody, gid: nobody } : { uid, gid };
}

/** Where the master is no root, everything is this user's and nothing can change its root. */
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

/** Also without what Dovecot makes a failed login wait for: a test's logins all come from one address. */
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

/** A real Dovecot as child processes of this user, root or not, in a throw-away folder. */
export async function spawnDovecot({ config, files = {} }: SpawnDovecotOptions): Promise<Dovecot> {
  await using owned = new AsyncDisposableStack();
  const { path: folder } = owned.use(await scratchFolder());
  const homes = join(folder, "homes");
  const file = join(folder, "dovecot.conf");
  const imapPort = await freePort();
  const { uid, gid } = mailOwner();
  // Its login and internal users are others than root.
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
  const env = { PATH: binaryPath };
  const server = owned.use(
    await startChildServer({ command: "dovecot", args: ["-F", "-c", file], cwd: folder, env, port: imapPort }),
  );
  const rest = owned.move();
  return {
    ...server,
    imapPort,
    homes,
    doveadm: async (...args) => {
      try {
        const ran = await run("doveadm", ["-c", file, ...args], { env: { ...process.env, ...env } });
        return { code: 0, output: ran.stdout + ran.stderr };
      } catch (error) {
        const { code, stdout, stderr } = Object(error);
        return { code: typeof code === "number" ? code : -1, output: `${stdout}${stderr}` };
      }
    },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}
