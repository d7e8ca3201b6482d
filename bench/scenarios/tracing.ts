import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { freePort } from "@postern/testing";
import { runWrk } from "../generator/wrk.ts";
import { measureInTurn, type Row, type RowPlan } from "../measure/row.ts";
import { writeSqlBackend } from "../stack/backends.ts";
import { writeBodies } from "../stack/bodies.ts";
import { guarded, sqlBackends } from "../stack/config.ts";
import { startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { userPassword } from "../stack/users.ts";
import { decisionPlan } from "./decision-row.ts";

/** Few, because each costs one hash before its answers come from the cache. */
const users = 4;
const fillSeconds = 2;

interface Receiver extends AsyncDisposable {
  readonly endpoint: string;
  readonly bodies: () => number;
}

/** Takes every span and keeps none, in this process, so that its CPU does not count. */
async function startReceiver(): Promise<Receiver> {
  let bodies = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      bodies += 1;
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { endpoint: `http://127.0.0.1:${port}`, bodies: () => bodies, [Symbol.asyncDispose]: close };
}

/** What traces add to a cached success, which is the cheapest decision that is traced. */
export async function measureTracing(servers: Servers): Promise<readonly Row[]> {
  const { folder } = servers;
  const file = join(folder, "tracing.sqlite");
  await writeSqlBackend(file, users);
  const bodiesFile = await writeBodies(folder, "tracing", { password: userPassword, users });
  const runs = [
    { id: "untraced", title: "cached success, traces off", ratio: undefined },
    { id: "traced-one", title: "cached success, 1 % traced", ratio: 0.01 },
    { id: "traced-all", title: "cached success, 100 % traced", ratio: 1 },
  ] as const;
  await using started = new AsyncDisposableStack();
  const plans: RowPlan[] = [];
  for (const { id, title, ratio } of runs) {
    const receiver = started.use(await startReceiver());
    const { endpoint } = receiver;
    const tracing = ratio === undefined ? { enabled: false } : { enabled: true, endpoint, sampler_ratio: ratio };
    const options = { servers, backends: sqlBackends(file), protection: guarded("10m"), observability: { tracing } };
    const postern = started.use(await startPostern(options));
    await runWrk({ url: postern.url, bodiesFile, connections: 1 }, fillSeconds);
    const plan = decisionPlan(postern, { id, title, connections: 64, bodiesFile, first: true, outcome: "ok" });
    const verify: RowPlan["verify"] = async (report) => {
      await plan.verify(report);
      if (receiver.bodies() > 0 !== (ratio !== undefined))
        throw new Error(`${title}: ${receiver.bodies()} batches of spans`);
    };
    plans.push({ ...plan, verify });
  }
  return await measureInTurn(plans);
}
