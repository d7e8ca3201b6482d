import { type Apache, type DatabaseServer, freePort, spawnApache, spawnPostgresql } from "@postern/testing";
import type { Stack } from "../../support/stack.ts";
import { blockOfPage, clientSecret, startDovecot, startPostern } from "./application-setting.ts";
import { prepareSogo, resources, spawnSogo } from "./sogo-server.ts";

export const groupware = "sogo.example.test";

export interface SogoSetting extends AsyncDisposable {
  readonly stack: Stack;
  readonly apache: Apache;
  /** What SOGo has logged. */
  log(): Promise<string>;
}

/** The view of a site's users that SOGo reads (its documentation, "Authentication using SQL"). */
const users = `CREATE TABLE sogo_users (c_uid text PRIMARY KEY, c_name text, c_password text, c_cn text, mail text);
INSERT INTO sogo_users VALUES ('alice@example.test', 'alice@example.test', '', 'Alice Example', 'alice@example.test');
`;

/** The lines of the page, and those of a site that has nothing to do with sign-ins. */
async function configOf({ port, user, password, database }: DatabaseServer, issuer: string, imapPort: number) {
  const stores = `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`;
  const lines = (await blockOfPage("", "## SOGo"))
    .replaceAll("https://id.example.test", issuer)
    .replace("SECRET", clientSecret)
    .replace(/postgresql:\/\/.*\/(?=sogo_openid)/, `${stores}/`);
  return `SOGoProfileURL = "${stores}/sogo_user_profile";
OCSFolderInfoURL = "${stores}/sogo_folder_info";
OCSSessionsFolderURL = "${stores}/sogo_sessions_folder";
SOGoUserSources = (
  { type = sql; id = directory; viewURL = "${stores}/sogo_users"; canAuthenticate = YES; isAddressBook = NO; }
);
SOGoIMAPServer = "imap://127.0.0.1:${imapPort}";
SOGoLanguage = English;
SOGoTimeZone = UTC;
SOGoPageTitle = SOGo;
${lines}`;
}

function siteConfig(port: number): string {
  return `Alias /SOGo.woa/WebServerResources/ ${resources}/
<Directory ${resources}>
Require all granted
</Directory>
ProxyPreserveHost On
ProxyPass /SOGo http://127.0.0.1:${port}/SOGo retry=0 nocanon
RequestHeader set x-webobjects-server-port 443
RequestHeader set x-webobjects-server-name ${groupware}
RequestHeader set x-webobjects-server-url https://${groupware}
RequestHeader set x-webobjects-server-protocol HTTP/1.0`;
}

const types = `AddType text/css .css
AddType text/javascript .js
AddType image/svg+xml .svg`;

/** Debian's SOGo, Dovecot and Postern with its pages. Access tokens for SOGo are valid for `lifetime`. */
export async function startSogoSetting(lifetime: string): Promise<SogoSetting> {
  await using started = new AsyncDisposableStack();
  await prepareSogo();
  const httpPort = await freePort();
  const stack = started.use(await startPostern("sogo", httpPort, lifetime));
  const dovecot = started.use(await startDovecot(stack.url));
  const database = started.use(await spawnPostgresql({ sql: users }));
  const sogo = started.use(await spawnSogo(await configOf(database, `http://localhost:${httpPort}`, dovecot.imapPort)));
  const site = { host: groupware, config: siteConfig(sogo.port) };
  const modules = ["alias", "headers", "proxy", "proxy_http"];
  const apache = started.use(await spawnApache({ modules, pages: {}, config: types, sites: [site] }));
  const owned = started.move();
  return {
    stack,
    apache,
    log: async () => `${await sogo.log()}${await apache.log()}${dovecot.output()}`,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
