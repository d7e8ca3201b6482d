import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Apache, changeOwner, scratchFolder, spawnApache, unprivileged } from "@postern/testing";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { IdpStack } from "../../integration/idp/idp-stack.ts";
import {
  browserFor,
  contentEncryptions,
  forSite,
  guide,
  hostOf,
  makeCertificate,
  posternMetadata,
  shipped,
  signOutOfPostern,
  signOutOfSite,
  siteOf,
  startPostern,
} from "./apache-sites.ts";

const files = [
  "simplesamlphp-config.php",
  "simplesamlphp-authsources.php",
  "simplesamlphp-private.php",
  "simplesamlphp.conf",
  "simplesamlphp-postern.yaml",
] as const;
const run = promisify(execFile);
const owned = new AsyncDisposableStack();
let idp: IdpStack;
let apache: Apache;
let browser: Browser;

/** Writes Debian's configuration with the guide's lines and files, and the site. */
async function configure(parent: string, encryption: string): Promise<void> {
  const folder = join(parent, encryption);
  await mkdir(join(folder, "site/private"), { recursive: true });
  const [debians, texts] = await Promise.all([
    readFile("/etc/simplesamlphp/config.php", "utf8"),
    Promise.all(files.map(shipped)),
  ]);
  const [lines = "", sources = "", page = ""] = texts.map((text) =>
    forSite(text, encryption)
      .replaceAll("/etc/simplesamlphp", folder)
      .replaceAll("/var/lib/simplesamlphp/data", folder),
  );
  // Only Debian's own web server may read Debian's secrets.
  const secrets = `$config['secretsalt'] = 'a salt of the test';
$config['logging.handler'] = 'errorlog';
$config['tempdir'] = '${folder}/temp';
`;
  await writeFile(
    join(folder, "config.php"),
    debians.replace(/^require_once.*secrets.*$/m, secrets) + lines.replace("<?php", ""),
  );
  await writeFile(join(folder, "authsources.php"), sources);
  await writeFile(join(folder, "site/private/index.php"), page);
  await writeFile(join(folder, "site/index.html"), "the front page");
  await makeCertificate(folder, "wiki");
}

/** Saves the metadata of the service provider in its folder, as the guide does. */
async function saveMetadata(folder: string, encryption: string): Promise<void> {
  const file = join(folder, "wiki.xml");
  const address = `${siteOf(encryption)}/simplesamlphp/module.php/saml/sp/metadata.php/wiki`;
  const connection = `${hostOf(encryption)}:443:127.0.0.1:${apache.port}`;
  await run("curl", ["-sSfk", "--noproxy", "*", "--connect-to", connection, "-o", file, address]);
}

beforeAll(async () => {
  const { path: parent } = owned.use(await scratchFolder());
  await Promise.all(contentEncryptions.map((encryption) => configure(parent, encryption)));
  const folderOf = (encryption: string): string => join(parent, encryption);
  const user = unprivileged();
  if (user !== undefined) await changeOwner(parent, user);
  const [config, settings] = await Promise.all([shipped("simplesamlphp.conf"), shipped("simplesamlphp-postern.yaml")]);
  apache = owned.use(
    await spawnApache({
      modules: ["alias", "php"],
      pages: {},
      config:
        '<FilesMatch "\\.php$">\nSetHandler application/x-httpd-php\n</FilesMatch>\nDirectoryIndex index.php index.html',
      sites: contentEncryptions.map((encryption) => ({
        host: hostOf(encryption),
        config: `${config}SetEnv SIMPLESAMLPHP_CONFIG_DIR ${folderOf(encryption)}\nDocumentRoot ${folderOf(encryption)}/site`,
      })),
    }),
  );
  const texts = contentEncryptions.map(async (encryption) => {
    await saveMetadata(folderOf(encryption), encryption);
    return forSite(settings.replace("/etc/postern/saml", folderOf(encryption)), encryption);
  });
  idp = owned.use(await startPostern(await Promise.all(texts)));
  const metadata = await posternMetadata(idp);
  await Promise.all(contentEncryptions.map((each) => writeFile(join(folderOf(each), "postern.xml"), metadata)));
  browser = await browserFor(idp, apache.port);
  owned.defer(() => browser.close());
}, 300_000);

afterAll(() => owned.disposeAsync());

test.each(files)("docs/connect/simplesamlphp.md shows %s", async (file) => {
  expect(await guide("simplesamlphp.md")).toContain(await shipped(file));
});

describe.each(contentEncryptions)("SimpleSAMLphp with content encryption %s", (encryption) => {
  test("signs in with a signed request, and its logout ends the session", async () => {
    expect(await signOutOfSite(browser, encryption)).toEqual(["alice@example.test Alice Example", encryption]);
  });

  test("ends its session when the user signs out of Postern", async () => {
    expect(await signOutOfPostern(browser, encryption)).toEqual(["alice@example.test Alice Example", 0]);
  });
});
