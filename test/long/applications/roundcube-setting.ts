import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type Apache,
  changeOwner,
  type Dovecot,
  freePort,
  scratchFolder,
  spawnApache,
  unprivileged,
} from "@postern/testing";
import type { Stack } from "../../support/stack.ts";
import { blockOfPage, clientSecret, startDovecot, startPostern } from "./application-setting.ts";

export const webmail = "webmail.example.test";

export interface RoundcubeSetting extends AsyncDisposable {
  readonly stack: Stack;
  readonly apache: Apache;
  readonly dovecot: Dovecot;
  /** What Roundcube has logged. */
  log(): Promise<string>;
}

/** Debian's Roundcube with the lines of the page. */
async function configure(folder: string, issuer: string, imapPort: number): Promise<void> {
  const lines = (await blockOfPage("php", "## Roundcube"))
    .replaceAll("https://id.example.test", issuer)
    .replace("SECRET", clientSecret);
  const config = `<?php
$config = [];
$config['db_dsnw'] = 'sqlite:///${folder}/roundcube.sqlite?mode=0600';
$config['imap_host'] = '127.0.0.1:${imapPort}';
$config['log_dir'] = '${folder}/logs/';
$config['temp_dir'] = '${folder}/logs/';
$config['des_key'] = 'twenty-four-characters!!';
$config['plugins'] = [];
$config['skin'] = 'elastic';
${lines}`;
  await mkdir(join(folder, "logs"));
  await copyFile("/etc/roundcube/defaults.inc.php", join(folder, "defaults.inc.php"));
  await writeFile(join(folder, "config.inc.php"), config);
  const database = new DatabaseSync(join(folder, "roundcube.sqlite"));
  database.exec(await readFile("/usr/share/roundcube/SQL/sqlite.initial.sql", "utf8"));
  database.close();
}

const phpConfig = `AddType text/css .css
AddType text/javascript .js
AddType image/svg+xml .svg
<FilesMatch "\\.php$">
SetHandler application/x-httpd-php
</FilesMatch>
DirectoryIndex index.php
<Directory /var/lib/roundcube>
AllowOverride All
</Directory>`;

/** Debian's Roundcube and Dovecot, and Postern with its pages. Access tokens for Roundcube are valid for `lifetime`. */
export async function startRoundcubeSetting(lifetime: string): Promise<RoundcubeSetting> {
  await using started = new AsyncDisposableStack();
  const { path: folder } = started.use(await scratchFolder());
  const httpPort = await freePort();
  const stack = started.use(await startPostern("roundcube", httpPort, lifetime));
  const dovecot = started.use(await startDovecot(stack.url));
  await configure(folder, `http://localhost:${httpPort}`, dovecot.imapPort);
  const user = unprivileged();
  if (user !== undefined) await changeOwner(folder, user);
  const config = `DocumentRoot /var/lib/roundcube/public_html\nSetEnv ROUNDCUBE_CONFIG_DIR ${folder}`;
  const apache = started.use(
    await spawnApache({ modules: ["php"], pages: {}, config: phpConfig, sites: [{ host: webmail, config }] }),
  );
  const owned = started.move();
  return {
    stack,
    apache,
    dovecot,
    log: async () => `${await readFile(join(folder, "logs/errors.log"), "utf8").catch(() => "")}${await apache.log()}`,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
