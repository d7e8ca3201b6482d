import { execFile } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ChildServer, type DoveadmOutcome, freePort, startChildServer } from "@postern/testing";

const run = promisify(execFile);
const repository = join(import.meta.dirname, "../../..");
const root = join(repository, ".run/debian-13");
const path = "/usr/sbin:/usr/bin:/sbin:/bin";

/** Owner of the mail; Dovecot does not open mail as root. */
const nobody = 65_534;

export const shipped = (file: string): Promise<string> =>
  readFile(join(repository, "deploy/dovecot-2.4", file), "utf8");

/** Makes the Debian 13 with Dovecot 2.4 and saslauthd, the first time. */
export async function prepareRoot(): Promise<void> {
  await mkdir(join(repository, ".run"), { recursive: true });
  const parts = "dovecot-imapd,dovecot-auth-lua,lua-cjson,sasl2-bin";
  await run(join(repository, "test/servers/prepare-debian.sh"), [root, "trixie", parts]);
}

/** Settings of the test machine, after those of the site. */
function machineConfig(inside: string, imapPort: number): string {
  return `
base_dir = ${inside}/run
state_dir = ${inside}/state
log_path = ${inside}/log
listen = 127.0.0.1
ssl = no
auth_verbose = yes
auth_failure_delay = 0
first_valid_uid = 1
mail_home = ${inside}/homes/%{user | username | lower}
mail_uid = ${nobody}
mail_gid = ${nobody}
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

async function outcome(command: string, args: readonly string[]): Promise<DoveadmOutcome> {
  try {
    const { stdout, stderr } = await run("chroot", [root, command, ...args], { env: { PATH: path } });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = Object(error);
    return { code: typeof code === "number" ? code : -1, output: `${stdout}${stderr}` };
  }
}

/** A folder inside the Debian 13, removed at the end. */
async function folderInside(
  owned: AsyncDisposableStack,
): Promise<{ readonly inside: string; readonly outside: string }> {
  const outside = await mkdtemp(join(root, "tmp/postern-test-"));
  owned.defer(() => rm(outside, { recursive: true, force: true }));
  await chmod(outside, 0o755);
  return { inside: outside.slice(root.length), outside };
}

export interface Dovecot24 extends AsyncDisposable {
  readonly imapPort: number;
  /** Folder of the users' home folders, as Dovecot sees it. */
  readonly homes: string;
  log(): Promise<string>;
  doveadm(...args: readonly string[]): Promise<DoveadmOutcome>;
}

/** The real Dovecot 2.4 of Debian 13. `script` becomes /etc/dovecot/postern.lua of `config`. */
export async function spawnDovecot24(config: string, script = ""): Promise<Dovecot24> {
  await using owned = new AsyncDisposableStack();
  const { inside, outside } = await folderInside(owned);
  const imapPort = await freePort();
  await mkdir(join(outside, "homes"));
  await chown(join(outside, "homes"), nobody, nobody);
  await writeFile(join(outside, "postern.lua"), script);
  const placed = config.replaceAll("/etc/dovecot/postern.lua", `${inside}/postern.lua`);
  await writeFile(join(outside, "dovecot.conf"), placed + machineConfig(inside, imapPort));
  const args = [root, "dovecot", "-F", "-c", `${inside}/dovecot.conf`];
  owned.use(await startChildServer({ command: "chroot", args, env: { PATH: path }, port: imapPort }));
  const rest = owned.move();
  return {
    imapPort,
    homes: `${inside}/homes`,
    log: () => readFile(join(outside, "log"), "utf8"),
    doveadm: (...rest) => outcome("doveadm", ["-c", `${inside}/dovecot.conf`, ...rest]),
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}

export interface Saslauthd extends AsyncDisposable {
  /** The answer of saslauthd, such as `0: OK "Success."`. */
  check(user: string, password: string, realm?: string): Promise<string>;
}

export async function saslauthdMechanisms(): Promise<string> {
  return (await outcome("saslauthd", ["-v"])).output;
}

/** The real saslauthd of Debian 13, with `-a rimap` and these options. */
export async function spawnSaslauthd(imapPort: number, ...options: readonly string[]): Promise<Saslauthd> {
  await using owned = new AsyncDisposableStack();
  const { inside, outside } = await folderInside(owned);
  // Ends its whole process group when it stops, so it gets one of its own.
  const args = [
    "chroot",
    root,
    "saslauthd",
    "-d",
    "-n",
    "2",
    "-a",
    "rimap",
    "-O",
    `127.0.0.1/${imapPort}`,
    "-m",
    inside,
    ...options,
  ];
  const ready = async (): Promise<boolean> => (await run("ls", [outside])).stdout.split("\n").includes("mux");
  const server: ChildServer = await startChildServer({ command: "setsid", args, env: { PATH: path }, ready });
  owned.use(server);
  const rest = owned.move();
  return {
    check: async (user, password, realm) => {
      const named = realm === undefined ? [] : ["-r", realm];
      return (
        await outcome("testsaslauthd", ["-f", `${inside}/mux`, "-u", user, "-p", password, ...named])
      ).output.trim();
    },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}
