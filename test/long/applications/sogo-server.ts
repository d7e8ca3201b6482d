import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ChildServer, changeOwner, freePort, scratchFolder, startChildServer } from "@postern/testing";
import { repository } from "../../integration/interop/nginx-setting.ts";

const testing = join(repository, "test/servers");
const root = join(repository, ".run/debian-13-sogo");
const nobody = 65_534;

/** Scripts, styles and pictures of SOGo's pages, which the web server delivers. */
export const resources = join(root, "usr/share/GNUstep/SOGo/WebServerResources");

/** Makes the Debian 13 with SOGo, the first time. Debian 12 has 5.8, which knows no OpenID Connect. */
export async function prepareSogo(): Promise<void> {
  await mkdir(join(repository, ".run"), { recursive: true });
  await promisify(execFile)(join(testing, "prepare-debian.sh"), [root, "trixie", "sogo,ca-certificates"]);
}

export interface Sogo extends AsyncDisposable {
  readonly port: number;
  log(): Promise<string>;
}

/** Runs a command as an unprivileged user in the Debian 13, where SOGo reads the file `sogo.conf` of the folder. */
function startInside(folder: string, command: string, port: number): Promise<ChildServer> {
  const configured = `mount --bind ${folder}/sogo.conf /etc/sogo/sogo.conf`;
  const user = `setpriv --reuid ${nobody} --regid ${nobody} --clear-groups env HOME=${folder}`;
  const script = `${configured} && exec ${user} ${command}`;
  const enter = join(testing, "enter-debian.sh");
  const args = ["--mount", "--propagation", "unchanged", enter, root, folder, "sh", "-c", script];
  const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C.UTF-8" };
  return startChildServer({ command: "unshare", args, env, port });
}

/** The real SOGo of Debian 13 with its memcached, on free ports. `config` are the lines of sogo.conf except for memcached's address. */
export async function spawnSogo(config: string): Promise<Sogo> {
  await using owned = new AsyncDisposableStack();
  const { path: folder } = owned.use(await scratchFolder());
  const [port, memcachedPort] = [await freePort(), await freePort()];
  await writeFile(join(folder, "sogo.conf"), `{\n${config}\nSOGoMemcachedHost = "127.0.0.1:${memcachedPort}";\n}\n`);
  await changeOwner(folder, { uid: nobody, gid: nobody });
  owned.use(await startInside(folder, `memcached -l 127.0.0.1 -p ${memcachedPort}`, memcachedPort));
  const files = `-WOLogFile ${folder}/sogo.log -WOPidFile ${folder}/sogo.pid`;
  const sogod = `sogod -WOUseWatchDog NO -WONoDetach YES -WOPort 127.0.0.1:${port} ${files}`;
  owned.use(await startInside(folder, sogod, port));
  const rest = owned.move();
  return {
    port,
    log: () => readFile(join(folder, "sogo.log"), "utf8").catch(() => ""),
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}
