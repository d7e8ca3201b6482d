import { execFile } from "node:child_process";
import { chmod, chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ChildServer, serverPath, startChildServer } from "./child-server.ts";
import { freePort } from "./free-port.ts";
import { scratchFolder } from "./scratch-folder.ts";

interface SpawnPostfixOptions {
  /** A site's main.cf; settings that depend on the machine (ports, folders, logs, delivery) override it. */
  readonly config: string;
  /** A site's entry of master.cf for an `smtpd`, whose address the free port replaces. Default: one without options. */
  readonly listener?: string;
}

export interface Postfix extends ChildServer {
  readonly smtpPort: number;
  /** What it has logged so far. */
  log(): Promise<string>;
}

const run = promisify(execFile);

/** Accepted mail is discarded. */
function machineConfig(folder: string): string {
  return `
compatibility_level = 3.6
queue_directory = ${join(folder, "queue")}
data_directory = ${join(folder, "data")}
maillog_file = ${join(folder, "mail.log")}
maillog_file_prefixes = ${folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
alias_maps =
alias_database =
local_recipient_maps =
default_transport = discard:
local_transport = discard:
relay_transport = discard:
virtual_transport = discard:
`;
}

const services = (port: number, listener: string): string => `
${listener.replace(/^\S+(?= +inet )/mu, `127.0.0.1:${port}`)}
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
proxymap unix - - n - - proxymap
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
discard unix - - n - - discard
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`;

async function idOf(option: string, user: string): Promise<number> {
  return Number((await run("id", [option, user])).stdout);
}

/** A real Postfix with its own folders. Its master process changes users, so it starts only as root. */
export async function spawnPostfix({
  config,
  listener = "smtp inet n - n - - smtpd",
}: SpawnPostfixOptions): Promise<Postfix> {
  await using owned = new AsyncDisposableStack();
  const { path: folder } = owned.use(await scratchFolder());
  const [etc, data] = [join(folder, "etc"), join(folder, "data")];
  const smtpPort = await freePort();
  await chmod(folder, 0o755);
  for (const path of [etc, data, join(folder, "queue")]) await mkdir(path);
  await chown(data, await idOf("-u", "postfix"), await idOf("-g", "postfix"));
  await writeFile(join(etc, "main.cf"), `${config}\n${machineConfig(folder)}`);
  await writeFile(join(etc, "master.cf"), services(smtpPort, listener));
  const env = { PATH: serverPath };
  // Creates the queue.
  await run("postfix", ["-c", etc, "check"], { env: { ...process.env, ...env } });
  const { stdout: programs } = await run("postconf", ["-c", etc, "-h", "daemon_directory"], {
    env: { ...process.env, ...env },
  });
  const args = ["-c", etc, "-s"];
  const command = join(programs.trim(), "master");
  const server = owned.use(await startChildServer({ command, args, cwd: folder, env, port: smtpPort }));
  const rest = owned.move();
  return {
    ...server,
    smtpPort,
    log: () => readFile(join(folder, "mail.log"), "utf8"),
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}
