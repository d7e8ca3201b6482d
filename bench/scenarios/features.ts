import { connect } from "node:net";
import { join } from "node:path";
import { addedTo, type Figure, figureOf } from "../measure/added.ts";
import { commandsPerRequest, readCommandStats } from "../measure/redis-commands.ts";
import { measureInTurn, type Row, type RowPlan } from "../measure/row.ts";
import { saltedSha256, writeSqlBackend } from "../stack/backends.ts";
import { type BodiesOptions, writeBodies } from "../stack/bodies.ts";
import { guarded } from "../stack/config.ts";
import { type PosternOptions, startPostern } from "../stack/postern.ts";
import { serialMark } from "../stack/serial-mark.ts";
import type { Servers } from "../stack/servers.ts";
import { sqlUserCount, userPassword } from "../stack/users.ts";
import { decisionPlan } from "./decision-row.ts";
import { guesses } from "./guarded.ts";

const features = ["decision history", "detection of stolen passwords", "account delay", "client tracking"] as const;
export type Feature = (typeof features)[number];
const kinds = ["cached success", "wrong password", "first sign-in"] as const;
export type FeatureKind = (typeof kinds)[number];

/** What a decision costs more with a feature than without it. A negative figure is a saving. */
export interface FeatureCost {
  readonly feature: Feature;
  readonly kind: FeatureKind;
  readonly cpuMicros: Figure;
  readonly redisCommands: Figure;
  /** Memory of Redis for each decision. */
  readonly redisBytes: Figure;
}

/** The services start anew for each kind, and all of them need the same time until their code is compiled. */
const warmSeconds = 3;

type Options = Pick<PosternOptions, "auth" | "observability" | "protection" | "storage">;

const withoutFeature: Readonly<Record<Feature, Options>> = {
  "decision history": { observability: { decision_history: { enabled: false } } },
  "detection of stolen passwords": { auth: { risk: { mode: "off" } } },
  "account delay": { protection: guarded("10m", { account_delay: { enabled: false } }) },
  "client tracking": { storage: { client_tracking: { enabled: false } } },
};

/** Every name is an account, with the same password. */
function anyone(file: string): object {
  const search = {
    protocol: ["*"],
    cache_name: "anyone",
    queries: { user: "SELECT lower(:username) AS account, password FROM users" },
    mapping: { account_field: "account", password_column: "password" },
  };
  return { order: ["sql"], sql: { default: { file }, search: [search] } };
}

const bodiesOf: Readonly<Record<FeatureKind, BodiesOptions>> = {
  "cached success": { password: userPassword, users: sqlUserCount },
  "wrong password": guesses,
  "first sign-in": { ...guesses, password: userPassword, username: () => `user-${serialMark}@example.test` },
};

/** `used_memory` of a Redis server on loopback. */
function usedMemory(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let reply = "";
    const socket = connect(port, "127.0.0.1");
    socket.setEncoding("utf8").on("data", (text: string) => {
      reply += text;
    });
    socket.once("error", reject);
    socket.once("close", () => resolve(Number(/^used_memory:(\d+)/mu.exec(reply)?.[1])));
    socket.write("INFO memory\r\nQUIT\r\n");
  });
}

/** Notes the commands and the memory of Redis for each request. */
function observing(plan: RowPlan, redisPort: number) {
  const commands: number[] = [];
  const bytes: number[] = [];
  const generate: RowPlan["generate"] = async (seconds) => {
    const [before, memory] = [await readCommandStats(redisPort), await usedMemory(redisPort)];
    const report = await plan.generate(seconds);
    const counts = commandsPerRequest(before, await readCommandStats(redisPort), report.requests);
    commands.push(Object.values(counts).reduce((sum, one) => sum + one, 0));
    bytes.push(((await usedMemory(redisPort)) - memory) / report.requests);
    return report;
  };
  // The first window warms up.
  return { plan: { ...plan, generate }, commands: () => commands.slice(1), bytes: () => bytes.slice(1) };
}

const less = (all: readonly number[], without: readonly number[]): Figure =>
  figureOf(all.map((value, round) => value - (without[round] ?? 0)));

async function measureKind(servers: Servers, backends: object, kind: FeatureKind): Promise<readonly FeatureCost[]> {
  const bodiesFile = await writeBodies(servers.folder, `features-${kind}`, bodiesOf[kind]);
  await using started = new AsyncDisposableStack();
  const plans: ReturnType<typeof observing>[] = [];
  const common: Options & Pick<PosternOptions, "servers" | "backends"> = {
    servers,
    backends,
    protection: guarded("10m"),
  };
  for (const options of [{}, ...features.map((feature) => withoutFeature[feature])]) {
    const postern = started.use(await startPostern({ ...common, ...options }));
    const outcome = kind === "wrong password" ? "fail" : "ok";
    const row = { id: "feature", title: kind, connections: 64, bodiesFile, outcome } as const;
    const plan: RowPlan = { ...decisionPlan(postern, row), warmSeconds };
    plans.push(observing(plan, servers.redisPort));
  }
  const rows: readonly Row[] = await measureInTurn(plans.map(({ plan }) => plan));
  const [all] = plans;
  const windows = rows.map(({ turns }) => turns?.windows ?? []);
  return features.map((feature, index): FeatureCost => {
    const { micros } = addedTo(windows[index + 1] ?? [], windows[0] ?? []);
    const without = plans[index + 1];
    return {
      feature,
      kind,
      cpuMicros: micros,
      redisCommands: less(all?.commands() ?? [], without?.commands() ?? []),
      redisBytes: less(all?.bytes() ?? [], without?.bytes() ?? []),
    };
  });
}

/** What each feature that is on by default adds to a decision, found by turning it off. */
export async function measureFeatures(servers: Servers): Promise<readonly FeatureCost[]> {
  const file = join(servers.folder, "features.sqlite");
  await writeSqlBackend(file, 1, saltedSha256());
  const costs: FeatureCost[] = [];
  for (const kind of kinds) costs.push(...(await measureKind(servers, anyone(file), kind)));
  return costs;
}
