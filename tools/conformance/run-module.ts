import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "playwright-core";
import type { ModuleResult, Outcome } from "./results.ts";
import type { LogEntry, ModuleInfo, PlanModule, SuiteApi } from "./suite-api.ts";
import { type Behaviour, createUser, type User } from "./user.ts";

export interface ModuleDeps {
  readonly suite: SuiteApi;
  readonly browser: Browser;
  readonly issuer: string;
  /** Where pictures for review are written. */
  readonly pictures: string;
  /** What an operator does before the module starts, by its name: for example a rotation of the signing keys. */
  readonly operate: Readonly<Record<string, () => Promise<void>>>;
}

/** A module takes this long on a busy machine, and seconds otherwise. */
const longestModuleMs = 600_000;
const lookMs = 200;
const outcomes: readonly Outcome[] = ["PASSED", "WARNING", "REVIEW", "SKIPPED", "FAILED"];
const notable: ReadonlySet<string | undefined> = new Set(["WARNING", "FAILURE"]);

function outcomeOf({ status, result }: ModuleInfo): Outcome {
  if (status !== "FINISHED") return "FAILED";
  return outcomes.find((name) => name === result) ?? "FAILED";
}

function findingsOf(log: readonly LogEntry[]): readonly string[] {
  return log.filter(({ result }) => notable.has(result)).map(({ src = "", msg = "" }) => `${src}: ${msg}`);
}

/** Uploads the picture of a page if the module expects one. */
async function fillPlaceholder(
  { suite, pictures }: ModuleDeps,
  run: { readonly id: string; readonly name: string },
  picture: () => Promise<Buffer>,
): Promise<void> {
  const placeholder = (await suite.log(run.id)).find(({ upload }) => upload !== undefined)?.upload;
  if (placeholder === undefined) return;
  const png = await picture();
  mkdirSync(pictures, { recursive: true });
  writeFileSync(join(pictures, `${run.name}.png`), png);
  await suite.upload(run.id, placeholder, png);
}

interface Drive {
  readonly id: string;
  readonly name: string;
  readonly user: User;
  isStarted: boolean;
}

/** Does the next thing that the module waits for. @returns whether the module is over */
async function advance({ suite, operate }: ModuleDeps, drive: Drive): Promise<boolean> {
  const { id, name, user } = drive;
  const { status } = await suite.info(id);
  if (status === "FINISHED" || status === "INTERRUPTED") return true;
  if (status === "CONFIGURED" && !drive.isStarted) {
    drive.isStarted = true;
    await operate[name]?.();
    await suite.startModule(id);
  }
  const [next] = await suite.pendingVisits(id);
  if (next === undefined) return false;
  await suite.markVisited(id, next.url);
  await user.visit(next);
  return false;
}

interface RunOfModule {
  readonly id: string;
  readonly name: string;
  /** Name of the picture, without its ending. */
  readonly picture: string;
}

async function untilOver(deps: ModuleDeps, run: RunOfModule, behaviour: Behaviour): Promise<void> {
  const { id, name } = run;
  const onPage = (take: () => Promise<Buffer>): Promise<void> => fillPlaceholder(deps, { id, name: run.picture }, take);
  await using user = await createUser(deps.browser, { issuer: deps.issuer, behaviour, onPage });
  const drive: Drive = { id, name, user, isStarted: false };
  const until = performance.now() + longestModuleMs;
  while (!(await advance(deps, drive))) {
    if (performance.now() > until) throw new Error(`no end within ${longestModuleMs / 1000} s`);
    await delay(lookMs);
  }
}

/** Runs one module of a plan, with a user who does what it asks for. */
export async function runModule(
  deps: ModuleDeps,
  plan: { readonly id: string; readonly name: string; readonly behaviours: Readonly<Record<string, Behaviour>> },
  module: PlanModule,
): Promise<ModuleResult & { readonly version: string | undefined }> {
  const { suite } = deps;
  const name = module.testModule;
  const picture = `${plan.name}-${name}`;
  const id = await suite.createModule(plan.id, module);
  const stopped = await untilOver(deps, { id, name, picture }, plan.behaviours[name] ?? {}).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : "stopped"),
  );
  if (stopped !== undefined) await suite.cancelModule(id).catch(() => undefined);
  const [info, log] = await Promise.all([suite.info(id), suite.log(id)]);
  const findings = [...findingsOf(log), ...(stopped === undefined ? [] : [`runner: ${stopped}`])];
  return {
    module: name,
    outcome: stopped === undefined ? outcomeOf(info) : "FAILED",
    findings: findings.map((text) => text.slice(0, 400)),
    version: info.version,
  };
}
