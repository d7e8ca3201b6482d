// Usage: tools/test.ts [all|static|long]. Runs the stages in order; the last line is "N passed, N failed".
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "./checks/execute.ts";
import { type Check, type Plan, planOf, rerunOf, type Stage } from "./checks/plan.ts";
import { filesToRerun, withRerun } from "./checks/rerun.ts";
import { slowestTests } from "./checks/slowest-tests.ts";
import { type Counts, countTests } from "./checks/vitest-results.ts";

const folder = ".run/test";
const summaryFile = `${folder}/summary.txt`;
const unstableFile = `${folder}/unstable.txt`;
const slowestShown = 10;
/** A fault that appears in half of the runs is found in three of four cases. */
const rerunsThatPass = 2;
/** Checks of one stage that run at the same time. Most use one core. */
const maxParallel = 2;

function isPlan(name: string): name is Plan {
  return name === "all" || name === "static" || name === "long";
}

function readReport(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

interface Outcome {
  readonly counts: Counts;
  /** Report of vitest's JSON reporter. */
  readonly results?: string;
  readonly output: string;
}

async function runOnce(check: Check): Promise<Outcome> {
  const { code, output } = await execute(check.command, check.args, check.timeoutMs);
  if (check.report === undefined)
    return { counts: code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }, output };
  const results = readReport(check.report);
  return { counts: countTests(results, code), ...(results === undefined ? {} : { results }), output };
}

/** Files that failed and then passed twice, alone. The end of the output lists them. */
const unstable: string[] = [];

/** Runs files that failed twice more, alone, so that a test that depends on timing does not decide. All runs are printed. */
async function runAgain(check: Check, first: Outcome): Promise<Outcome> {
  const files = filesToRerun(first.results);
  if (files.length === 0 || first.output.includes("Unhandled Error")) return first;
  console.log(`${first.output.trimEnd()}\nUNSTABLE? ${check.name}: running twice more, alone: ${files.join(" ")}`);
  let outcome = first;
  for (let run = 0; run < rerunsThatPass; run += 1) {
    const rerun = await runOnce(rerunOf(check, `${folder}/rerun.json`, files));
    const results = withRerun(first.results, rerun.results);
    outcome = { ...rerun, results, counts: countTests(results, rerun.counts.failed) };
    if (outcome.counts.failed > 0) return outcome;
  }
  unstable.push(...files);
  return outcome;
}

async function runCheck(check: Check): Promise<Counts> {
  const started = performance.now();
  const { counts, results, output } = await runAgain(check, await runOnce(check));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const detail = check.report === undefined ? "" : `, ${counts.passed} passed, ${counts.failed} failed`;
  if (counts.failed > 0) console.log(output.trimEnd());
  console.log(`${counts.failed === 0 ? "ok    " : "FAILED"} ${check.name} (${seconds} s${detail})`);
  for (const line of slowestTests(results ?? "", slowestShown)) console.log(`         ${line}`);
  return counts;
}

async function runStage(stage: Stage): Promise<readonly Counts[]> {
  const counts: Counts[] = [];
  const waiting = stage.values();
  const worker = async (): Promise<void> => {
    for (const check of waiting) counts.push(await runCheck(check));
  };
  await Promise.all(Array.from({ length: maxParallel }, worker));
  return counts;
}

async function main(): Promise<void> {
  const name = process.argv[2] ?? "all";
  if (!isPlan(name)) throw new Error(`no plan ${name}: all, static or long`);
  process.chdir(join(import.meta.dirname, ".."));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  let passed = 0;
  let failed = 0;
  for (const stage of planOf(name)) {
    for (const counts of await runStage(stage)) {
      passed += counts.passed;
      failed += counts.failed;
    }
  }
  for (const file of unstable)
    console.log(`UNSTABLE: ${file} failed once. Find out why: the test or the product has a race.`);
  writeFileSync(unstableFile, unstable.map((file) => `${file}\n`).join(""));
  const summary = `${passed} passed, ${failed} failed`;
  writeFileSync(summaryFile, `${summary}\n`);
  console.log(summary);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

await main();
