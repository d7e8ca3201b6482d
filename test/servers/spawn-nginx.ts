import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ChildServer, startChildServer } from "./child-server.ts";
import { scratchFolder } from "./scratch-folder.ts";

export interface SpawnNginxOptions {
  /** The blocks of nginx.conf beside `events`: `mail { … }`, `http { … }`. Its ports must be free. */
  readonly config: string;
  /** One of its ports; the server is ready when it accepts connections. */
  readonly port: number;
  /** Modules to load where they are not built in, such as `ngx_mail_module`. */
  readonly modules?: readonly string[];
  /** Starts a master with a worker, as installed, so that it can reload; default: one process. */
  readonly hasMaster?: boolean;
}

const moduleFolders = ["/usr/lib/nginx/modules", "/usr/lib64/nginx/modules", "/usr/local/lib/nginx/modules"];

function loadModule(name: string): string {
  const file = moduleFolders.map((folder) => join(folder, `${name}.so`)).find((path) => existsSync(path));
  return file === undefined ? "" : `load_module ${file};\n`;
}

/** The default folders for logs and temporary files belong to root. */
function withOwnFolders(config: string, folder: string): string {
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const paths = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`).join("\n");
  return config.replace(/^http \{/mu, `http {\naccess_log off;\n${paths}`);
}

/** A real nginx of this user, in a temporary folder. */
export async function spawnNginx({
  config,
  port,
  modules = [],
  hasMaster = false,
}: SpawnNginxOptions): Promise<ChildServer> {
  const folder = await scratchFolder();
  const file = join(folder.path, "nginx.conf");
  const processes = hasMaster ? "user root;" : "master_process off;";
  const frame = `daemon off;\n${processes}\npid ${join(folder.path, "nginx.pid")};\nevents {}\n`;
  await writeFile(file, `${modules.map(loadModule).join("")}${frame}${withOwnFolders(config, folder.path)}\n`);
  const args = ["-p", folder.path, "-e", "stderr", "-c", file];
  const child = { command: "nginx", args, cwd: folder.path, port };
  const server = await startChildServer(child).catch(async (error: unknown) => {
    await folder[Symbol.asyncDispose]();
    throw error;
  });
  const stop = async (): Promise<number | null> => {
    const code = await server.stop();
    await folder[Symbol.asyncDispose]();
    return code;
  };
  return { ...server, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}
