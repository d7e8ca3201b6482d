import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { basicAuthorization } from "../generator/wrk.ts";
import { type Figure, figureOf } from "../measure/added.ts";
import { processMicros } from "../measure/processes.ts";
import { rounds } from "../measure/row.ts";
import { saltedSha256, writeSqlBackend } from "../stack/backends.ts";
import { guarded, sqlBackends } from "../stack/config.ts";
import { spawnOneProcess } from "../stack/one-process.ts";
import { writeConfig } from "../stack/postern.ts";
import { readiness } from "../stack/readiness.ts";
import { type Servers, startServers } from "../stack/servers.ts";
import { placeService, serviceNames, spawnService } from "../stack/service.ts";
import { mailOf, userPassword } from "../stack/users.ts";

/** Times from the spawn of all services, as five processes or as one: to the first decision, and until all services are ready. */
interface OneStart {
  readonly decisionMs: number;
  readonly allReadyMs: number;
  /** CPU time of all services until the first decision. */
  readonly decisionCpuSeconds: number;
  /** CPU time of all services until all of them are ready. */
  readonly cpuSeconds: number;
}

export type FirstDecision = Readonly<Record<keyof OneStart, Figure>>;

const withinMs = 20_000;
/** Asking more often takes a good part of a core from the services. */
const askEveryMs = 20;

/** The status of one decision; 0 while nothing listens. */
function decide(port: number): Promise<number> {
  return new Promise((resolve) => {
    const body = JSON.stringify({ username: mailOf(0), password: userPassword, protocol: "imap" });
    const headers = { "content-type": "application/json", authorization: basicAuthorization };
    const path = "/api/v1/auth/json";
    const sent = request({ host: "127.0.0.1", port, path, method: "POST", agent: false, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once("error", () => resolve(0));
    sent.end(body);
  });
}

async function until(is: () => Promise<boolean>, started: number): Promise<number> {
  while (!(await is())) {
    if (performance.now() - started > withinMs) throw new Error("the services did not start");
    await delay(askEveryMs);
  }
  return performance.now() - started;
}

type Shape = "five" | "one";

async function startOnce(servers: Servers, backends: object, shape: Shape): Promise<OneStart> {
  const { configFile, httpPort } = await writeConfig(servers, backends, { protection: guarded("10m") });
  const placed = await Promise.all(serviceNames.map(placeService));
  await using spawned = new AsyncDisposableStack();
  const started = performance.now();
  const { folder } = servers;
  const running =
    shape === "one"
      ? [spawnOneProcess(placed, configFile, folder)]
      : placed.map((service) => spawnService(service, { configFile, folder }));
  for (const child of running) spawned.use(child);
  const ready = placed.map(({ privatePort }) => until(async () => (await readiness(privatePort)) === 200, started));
  const decisionMs = await until(async () => (await decide(httpPort)) === 200, started);
  const spentSeconds = (): number => running.reduce((sum, { pid }) => sum + processMicros(pid), 0) / 1e6;
  const decisionCpuSeconds = spentSeconds();
  const allReadyMs = Math.max(...(await Promise.all(ready)));
  return { decisionMs, allReadyMs, decisionCpuSeconds, cpuSeconds: spentSeconds() };
}

/** Five starts after one that fills the page cache; NATS and Redis are running, without the bans of earlier rows, which engines read first. */
export async function measureFirstDecision(shape: Shape): Promise<FirstDecision> {
  await using servers = await startServers();
  const file = join(servers.folder, `first-decision-${shape}.sqlite`);
  await writeSqlBackend(file, 1, saltedSha256());
  const starts: OneStart[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const start = await startOnce(servers, sqlBackends(file), shape);
    if (round > 0) starts.push(start);
  }
  const of = (key: keyof OneStart): Figure => figureOf(starts.map((start) => start[key]));
  return {
    decisionMs: of("decisionMs"),
    allReadyMs: of("allReadyMs"),
    decisionCpuSeconds: of("decisionCpuSeconds"),
    cpuSeconds: of("cpuSeconds"),
  };
}
