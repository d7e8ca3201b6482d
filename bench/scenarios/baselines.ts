import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, poll } from "@postern/testing";
import { runWrk } from "../generator/wrk.ts";
import type { GeneratorReport } from "../generator/wrk-output.ts";
import { firstWarmSeconds, measureRow, type Row, type RowId, type RowPlan } from "../measure/row.ts";
import { peopleDn, readerDn, readerPassword } from "../stack/backends.ts";
import { writeBodies } from "../stack/bodies.ts";
import { type LoggedProcess, startLoggedProcess } from "../stack/logged-process.ts";
import type { Servers } from "../stack/servers.ts";
import { sqlUserCount, userPassword } from "../stack/users.ts";

const programs = fileURLToPath(new URL("../programs/", import.meta.url));
const windowSeconds = 2;

interface Start {
  readonly servers: Servers;
  readonly program: string;
  readonly args: readonly string[];
  readonly ipc?: boolean;
}

function start({ servers, program, args, ipc = false }: Start): LoggedProcess {
  const logFile = join(servers.folder, `${program}.log`);
  return startLoggedProcess({ name: program, args: [join(programs, `${program}.ts`), ...args], logFile, ipc });
}

function noRefusal({ refused }: GeneratorReport): void {
  if (refused > 0) throw new Error(`${refused} answers with a status above 399`);
}

async function untilAnswering(url: string, process: LoggedProcess): Promise<void> {
  await poll(`${url} to answer`, async () => {
    process.assertAlive();
    const response = await fetch(url, { method: "POST", body: "{}" }).catch(() => undefined);
    await response?.arrayBuffer();
    return response?.status === 200;
  });
}

/** Fastify alone. */
export async function measureBareHttp(servers: Servers): Promise<readonly Row[]> {
  const port = await freePort();
  await using server = start({ servers, program: "bare-http", args: [`${port}`] });
  const url = `http://127.0.0.1:${port}/`;
  await untilAnswering(url, server);
  const bodiesFile = await writeBodies(servers.folder, "baseline", { password: userPassword, users: sqlUserCount });
  const row = await measureRow({
    id: "bare",
    title: "bare HTTP server: Fastify POST, no bus",
    connections: 64,
    processes: [{ role: "gateway", pid: server.pid }],
    windowSeconds,
    generate: (seconds) => runWrk({ url, bodiesFile, connections: 64 }, seconds),
    verify: noRefusal,
  });
  return [row];
}

/** A program that is measured alongside Postern, for as long as it runs. */
export interface Baseline<Plan> extends AsyncDisposable {
  readonly plan: Plan;
}

type SkeletonRow = "skeleton" | "skeleton-1" | "skeleton-1-ldap" | "skeleton-1000";

/** The minimum that every decision needs. */
export interface Skeleton extends Baseline<(id: SkeletonRow, connections: number) => RowPlan> {
  readonly url: string;
}

/** The cost of every decision before anything is decided. */
export async function startSkeleton(servers: Servers): Promise<Skeleton> {
  await using started = new AsyncDisposableStack();
  const port = await freePort();
  const { natsUrl } = servers;
  const echo = started.use(start({ servers, program: "skeleton-echo", args: [natsUrl] }));
  const gateway = started.use(start({ servers, program: "skeleton-gateway", args: [`${port}`, natsUrl] }));
  const url = `http://127.0.0.1:${port}/`;
  await untilAnswering(url, gateway);
  const bodiesFile = await writeBodies(servers.folder, "baseline", { password: userPassword, users: sqlUserCount });
  const owned = started.move();
  return {
    url,
    plan: (id, connections) => ({
      id,
      title: "the skeleton: HTTP, bus, echo",
      connections,
      processes: [{ role: "gateway", pid: gateway.pid }, { role: "engine", pid: echo.pid }, ...servers.processes],
      windowSeconds,
      ...(connections === 1 ? {} : { warmSeconds: firstWarmSeconds }),
      generate: (seconds) => runWrk({ url, bodiesFile, connections }, seconds),
      verify: noRefusal,
    }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function isReport(message: unknown): message is GeneratorReport {
  return typeof message === "object" && message !== null && "requests" in message && "p99Ms" in message;
}

interface OwnGenerator {
  readonly id: RowId;
  readonly title: string;
  readonly depth: number;
  readonly seconds: number;
}

/** A program that repeats an operation on request. */
async function startProgram(servers: Servers, program: LoggedProcess, of: OwnGenerator): Promise<Baseline<RowPlan>> {
  await using started = new AsyncDisposableStack();
  started.use(program);
  await once(program.child, "message");
  const owned = started.move();
  return {
    plan: {
      id: of.id,
      title: of.title,
      connections: of.depth,
      processes: [{ role: "engine", pid: program.pid }, ...servers.processes],
      windowSeconds: of.seconds,
      generate: async (seconds) => {
        program.child.send({ seconds });
        const [message]: unknown[] = await once(program.child, "message");
        if (!isReport(message)) throw new Error(`${program.name}: ${JSON.stringify(message)}`);
        return message;
      },
      verify: () => undefined,
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Argon2id on all cores without anything else: the upper limit for a backend with such hashes. */
export async function startHashRate(servers: Servers, seconds: number): Promise<Baseline<RowPlan>> {
  const program = start({ servers, program: "hash-rate", args: [], ipc: true });
  const title = "raw argon2id m=19456 t=2 p=1, one per core";
  return await startProgram(servers, program, { id: "hash-rate", title, depth: 0, seconds });
}

/** ldapts alone: the upper limit for LDAP decisions. */
export async function startRawLdap(servers: Servers): Promise<Baseline<RowPlan>> {
  const args = [servers.slapd.uri, readerDn, readerPassword, peopleDn];
  const program = start({ servers, program: "ldap-raw", args, ipc: true });
  const title = "raw ldapts search + bind, 64 deep";
  return await startProgram(servers, program, { id: "ldap-raw", title, depth: 64, seconds: 1 });
}
