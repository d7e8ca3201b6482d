import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ChildServer, startChildServer } from "./child-server.ts";
import { scratchFolder } from "./scratch-folder.ts";
import { changeOwner } from "./spawn-apache.ts";
import { unprivileged } from "./unprivileged.ts";

export interface SpawnShibdOptions {
  /** Files of its configuration folder by name, with `shibboleth2.xml`; all others are those of the package. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Shibd extends ChildServer {
  /** The environment by which Apache's module finds this daemon. */
  readonly env: Readonly<Record<string, string>>;
}

const packaged = "/etc/shibboleth";

/** The real daemon of the Shibboleth SP, as an unprivileged user, with its own folders. */
export async function spawnShibd({ files }: SpawnShibdOptions): Promise<Shibd> {
  await using owned = new AsyncDisposableStack();
  const { path: parent } = owned.use(await scratchFolder());
  // Each of its environment's folders has a folder of this name.
  const folder = join(parent, "shibboleth");
  await mkdir(folder);
  for (const name of await readdir(packaged)) {
    if (/\.(xml|html)$/.test(name)) await copyFile(join(packaged, name), join(folder, name));
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const user = unprivileged();
  if (user !== undefined) await changeOwner(parent, user);
  const config = join(folder, "shibboleth2.xml");
  const env = {
    SHIBSP_CONFIG: config,
    SHIBSP_LOGGING: join(packaged, "console.logger"),
    SHIBSP_CFGDIR: parent,
    SHIBSP_LOGDIR: parent,
    SHIBSP_RUNDIR: parent,
    SHIBSP_CACHEDIR: parent,
    // The path of the socket must fit into 108 bytes.
    SHIBSP_LISTENER_ADDRESS: join(folder, "shibd.sock"),
  };
  const args = ["-F", "-f", "-c", config, "-p", join(folder, "shibd.pid")];
  const server = owned.use(
    await startChildServer({
      command: "shibd",
      args,
      cwd: folder,
      env,
      ready: async () => (await readdir(folder)).includes("shibd.sock"),
      ...user,
    }),
  );
  const rest = owned.move();
  return { ...server, env, [Symbol.asyncDispose]: () => rest.disposeAsync() };
}
