// Shows where the services spend their CPU time under load, of another working tree if one is named.
// Usage: bench/profile.ts lookup|ldap|cached|counted [FOLDER]
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { sourcePlacesIn } from "../tools/bundle/source-places.ts";
import { runWrk } from "./generator/wrk.ts";
import { summariseProfile } from "./report/profile-summary.ts";
import { guesses } from "./scenarios/guarded.ts";
import { lookupQuery } from "./scenarios/sql.ts";
import { saltedSha256, writeSqlBackend } from "./stack/backends.ts";
import { type BodiesOptions, writeBodies } from "./stack/bodies.ts";
import { guarded, ldapBackends, type Protection, sqlBackends } from "./stack/config.ts";
import { startPostern } from "./stack/postern.ts";
import { type Servers, startServers } from "./stack/servers.ts";
import { sqlUserCount, userPassword } from "./stack/users.ts";

const seconds = 8;
const shown = 45;

interface Load {
  readonly backends: object;
  readonly protection?: Protection;
  readonly bodies: BodiesOptions;
  readonly query?: string;
}

const right: BodiesOptions = { password: userPassword, users: sqlUserCount };

/** What is profiled, by its name on the command line. */
const loads: Readonly<Record<string, (servers: Servers, file: string) => Load>> = {
  lookup: (_servers, file) => ({ backends: sqlBackends(file), bodies: right, query: lookupQuery }),
  ldap: ({ slapd }) => ({ backends: ldapBackends(slapd.uri), bodies: right }),
  cached: (_servers, file) => ({ backends: sqlBackends(file), protection: guarded("10m"), bodies: right }),
  counted: (_servers, file) => ({ backends: sqlBackends(file), protection: guarded("10m"), bodies: guesses }),
};

async function record(kind: string, folder: string, tree: string): Promise<void> {
  await using servers = await startServers();
  const file = join(servers.folder, "directory.sqlite");
  await writeSqlBackend(file, sqlUserCount, saltedSha256());
  const { backends, protection, bodies, query = "" } = loadOf(kind)(servers, file);
  const bodiesFile = await writeBodies(servers.folder, "profile", bodies);
  const nodeArgs = ["--cpu-prof", "--cpu-prof-interval=250", `--cpu-prof-dir=${folder}`];
  await using postern = await startPostern({ servers, backends, protection, nodeArgs, tree });
  const { requests } = await runWrk({ url: `${postern.url}${query}`, bodiesFile, connections: 64 }, seconds);
  console.log(`${kind}: ${requests} requests; gateway ${postern.gateway.pid}, engine ${postern.engines[0]?.pid}`);
}

function loadOf(kind: string): (servers: Servers, file: string) => Load {
  const load = loads[kind];
  if (load === undefined) throw new Error(`one of ${Object.keys(loads).join(", ")}`);
  return load;
}

process.chdir(join(import.meta.dirname, ".."));
const [kind = "lookup", tree = "."] = process.argv.slice(2);
loadOf(kind);
const folder = resolve(`.run/bench/profile-${kind}`);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await record(kind, folder, resolve(tree));
const sourcePlaces = sourcePlacesIn(resolve(tree));
for (const name of readdirSync(folder)) {
  console.log(`\n${name}\n   self  total`);
  for (const { name: what, self, total } of summariseProfile(readFileSync(join(folder, name), "utf8"), shown)) {
    console.log(
      `${(self * 100).toFixed(1).padStart(6)}%${(total * 100).toFixed(1).padStart(6)}%  ${sourcePlaces(what)}`,
    );
  }
}
