// Shows where the services spend their CPU time under load, of another working tree if one is named.
// Usage: bench/profile.ts cached|cbor|counted|wrong|unknown|ldap|lookup|banned [FOLDER]
// oxlint-disable-next-line import/no-unassigned-import -- it registers the hook
import "../tools/bundle/raw-text-hook.ts";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { sourcePlacesIn } from "../tools/bundle/source-places.ts";
import { runWrk } from "./generator/wrk.ts";
import { summariseProfile } from "./report/profile-summary.ts";
import { type Load, loadsOf } from "./scenarios/loads.ts";
import { saltedSha256, writeSqlBackend } from "./stack/backends.ts";
import { writeBodies } from "./stack/bodies.ts";
import { startPostern } from "./stack/postern.ts";
import { startServers } from "./stack/servers.ts";
import { sqlUserCount } from "./stack/users.ts";

const seconds = 8;
const shown = 45;

async function record(kind: string, folder: string, tree: string): Promise<void> {
  await using servers = await startServers();
  const file = join(servers.folder, "directory.sqlite");
  await writeSqlBackend(file, sqlUserCount, saltedSha256());
  const loads: Readonly<Record<string, Load>> = await loadsOf(servers, file);
  const load = loads[kind];
  if (load === undefined) throw new Error(`one of ${Object.keys(loads).join(", ")}`);
  const { format } = load.bodies;
  const bodiesFile = await writeBodies(servers.folder, "profile", load.bodies);
  const nodeArgs = ["--cpu-prof", "--cpu-prof-interval=250", `--cpu-prof-dir=${folder}`];
  await using postern = await startPostern({ ...load.postern, servers, nodeArgs, tree });
  const url = `${new URL(format ?? "json", postern.url).href}${load.query ?? ""}`;
  const { requests } = await runWrk({ url, bodiesFile, connections: 64, ...(format && { format }) }, seconds);
  console.log(`${kind}: ${requests} requests; gateway ${postern.gateway.pid}, engine ${postern.engines[0]?.pid}`);
}

process.chdir(join(import.meta.dirname, ".."));
const [kind = "lookup", tree = "."] = process.argv.slice(2);
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
