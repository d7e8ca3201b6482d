// Shows where the services spend their time under load. Usage: bench/profile.ts lookup|ldap
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { runWrk } from "./generator/wrk.ts";
import { summariseProfile } from "./report/profile-summary.ts";
import { lookupQuery } from "./scenarios/sql.ts";
import { writeBodies } from "./stack/bodies.ts";
import { ldapBackends, sqlBackends } from "./stack/config.ts";
import { writeSqlDirectory } from "./stack/directories.ts";
import { startPostern } from "./stack/postern.ts";
import { startServers } from "./stack/servers.ts";
import { sqlUserCount, userPassword } from "./stack/users.ts";

const seconds = 8;
const shown = 45;

async function record(kind: string, folder: string): Promise<void> {
  await using servers = await startServers();
  const file = join(servers.folder, "directory.sqlite");
  await writeSqlDirectory(file, sqlUserCount);
  const bodiesFile = await writeBodies(servers.folder, "profile", { password: userPassword, users: sqlUserCount });
  const backends = kind === "ldap" ? ldapBackends(servers.slapd.uri) : sqlBackends(file);
  const nodeArgs = ["--cpu-prof", "--cpu-prof-interval=250", `--cpu-prof-dir=${folder}`];
  await using postern = await startPostern({ servers, backends, nodeArgs });
  const url = `${postern.url}${kind === "ldap" ? "" : lookupQuery}`;
  const { requests } = await runWrk({ url, bodiesFile, connections: 64 }, seconds);
  console.log(`${kind}: ${requests} requests; gateway ${postern.gateway.pid}, engine ${postern.engines[0]?.pid}`);
}

process.chdir(join(import.meta.dirname, ".."));
const kind = process.argv[2] === "ldap" ? "ldap" : "lookup";
const folder = resolve(`.run/bench/profile-${kind}`);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await record(kind, folder);
for (const name of readdirSync(folder)) {
  console.log(`\n${name}\n   self  total`);
  for (const { name: what, self, total } of summariseProfile(readFileSync(join(folder, name), "utf8"), shown)) {
    console.log(`${(self * 100).toFixed(1).padStart(6)}%${(total * 100).toFixed(1).padStart(6)}%  ${what}`);
  }
}
