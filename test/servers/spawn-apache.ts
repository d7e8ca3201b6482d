import { execFile } from "node:child_process";
import { chmod, chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ChildServer, startChildServer } from "./child-server.ts";
import { freePort } from "./free-port.ts";
import { scratchFolder } from "./scratch-folder.ts";
import { unprivileged } from "./unprivileged.ts";

export interface ApacheSite {
  /** Host that browsers use, over TLS. */
  readonly host: string;
  /** Directives of its virtual host. */
  readonly config: string;
}

export interface SpawnApacheOptions {
  readonly sites: readonly ApacheSite[];
  /** Modules beside those of every server, such as `auth_mellon`. */
  readonly modules: readonly string[];
  /** Files of the sites' document root by path; `.shtml` files are processed as server-side includes. */
  readonly pages: Readonly<Record<string, string>>;
  /** Files that the configuration names, by name; folders in front of the names are replaced with the temporary folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Server-wide directives. */
  readonly config?: string;
  /** Environment of the server. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Apache extends ChildServer {
  /** TLS with a self-signed certificate, for all sites. */
  readonly port: number;
  /** What it has logged so far. */
  log(): Promise<string>;
}

const modulesOfDebian = "/usr/lib/apache2/modules";
const basicModules = ["authn_core", "authz_core", "authz_user", "dir", "env", "include", "mime", "ssl"];

function siteConfig(folder: string, port: number): (site: ApacheSite) => string {
  return ({ host, config }) => `<VirtualHost 127.0.0.1:${port}>
ServerName https://${host}:443
UseCanonicalName On
SSLEngine on
SSLCertificateFile ${join(folder, "tls.crt")}
SSLCertificateKeyFile ${join(folder, "tls.key")}
DocumentRoot ${join(folder, "pages")}
${config}
</VirtualHost>
`;
}

async function writePages(folder: string, pages: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(pages)) {
    const file = join(folder, "pages", path);
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(file, text);
  }
}

async function writeCertificate(folder: string): Promise<void> {
  const files = ["-keyout", join(folder, "tls.key"), "-out", join(folder, "tls.crt")];
  const args = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "2",
    "-subj",
    "/CN=apache",
    ...files,
  ];
  await promisify(execFile)("openssl", args);
}

/** Gives the folder and all it contains to the user that the server runs as. */
export async function changeOwner(
  folder: string,
  owner: { readonly uid: number; readonly gid: number },
): Promise<void> {
  await chown(folder, owner.uid, owner.gid);
  for (const entry of await readdir(folder, { recursive: true }))
    await chown(join(folder, entry), owner.uid, owner.gid);
}

/** The directives that load these modules. PHP is not safe in a process with threads. */
async function loading(names: readonly string[]): Promise<readonly string[]> {
  const files = await readdir(modulesOfDebian);
  const php = files.find((file) => /^libphp[\d.]*\.so$/.test(file)) ?? "libphp.so";
  const special: Readonly<Record<string, readonly [name: string, file: string]>> = {
    shib: ["mod_shib", "mod_shib.so"],
    php: ["php_module", php],
  };
  return [names.includes("php") ? "mpm_prefork" : "mpm_event", ...basicModules, ...names].map((name) => {
    const [module, file] = special[name] ?? [`${name}_module`, `mod_${name}.so`];
    return `LoadModule ${module} ${join(modulesOfDebian, file)}`;
  });
}

/** A real Apache of an unprivileged user, in a temporary folder. */
export async function spawnApache({
  sites,
  modules,
  pages,
  files = {},
  config = "",
  env = {},
}: SpawnApacheOptions): Promise<Apache> {
  await using owned = new AsyncDisposableStack();
  const { path: folder } = owned.use(await scratchFolder());
  const port = await freePort();
  await Promise.all([writeCertificate(folder), writePages(folder, pages)]);
  const frame = `ServerRoot ${folder}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${join(folder, "apache.pid")}
DefaultRuntimeDir ${folder}
Mutex file:${folder} default
ErrorLog ${join(folder, "error.log")}
TypesConfig /dev/null
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml
<Directory ${join(folder, "pages")}>
Options +Includes
DirectoryIndex index.shtml
</Directory>`;
  let text = [...(await loading(modules)), frame, config, ...sites.map(siteConfig(folder, port))].join("\n");
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content);
    text = text.replaceAll(new RegExp(`/\\S*/${name}`, "g"), join(folder, name));
  }
  await writeFile(join(folder, "apache.conf"), text);
  const user = unprivileged();
  if (user !== undefined) await changeOwner(folder, user);
  await chmod(folder, 0o700);
  const args = ["-D", "FOREGROUND", "-d", folder, "-f", join(folder, "apache.conf")];
  const server = owned.use(await startChildServer({ command: "apache2", args, cwd: folder, env, port, ...user }));
  const rest = owned.move();
  const log = (): Promise<string> => readFile(join(folder, "error.log"), "utf8");
  return { ...server, port, log, [Symbol.asyncDispose]: () => rest.disposeAsync() };
}
