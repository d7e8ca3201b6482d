// Usage: tools/test.ts [all|quick|static|long]. Runs the stages in order; the last line is "N passed, N failed".
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { execute } from "./checks/execute.ts";
import { type Check, type Plan, planOf, rerunOf, type Stage } from "./checks/plan.ts";
import { createProgress, duration, type Progress } from "./checks/progress.ts";
import {
  type Counts,
  countRootTests,
  countTests,
  type FileResult,
  failedFiles,
  failedTests,
  readReport,
  slowestTests,
  withRerun,
} from "./checks/report.ts";

const folder = ".run/test";
const rerunReport = `${folder}/rerun.json`;
const unstableFile = `${folder}/unstable.txt`;
const summaryFile = `${folder}/summary.txt`;
/** What the last run of each plan took, in milliseconds. */
const lastRunsFile = ".run/test-times.json";
const slowestShown = 10;
const failuresShown = 20;
/** Checks of one stage that run at the same time. Most use one core. */
const maxParallel = 2;

function isPlan(name: string): name is Plan {
  return name === "all" || name === "quick" || name === "static" || name === "long";
}

function readLastRuns(): Readonly<Record<string, number>> {
  try {
    return JSON.parse(readFileSync(lastRunsFile, "utf8"));
  } catch {
    return {};
  }
}

interface Outcome {
  readonly counts: Counts;
  /** Of a check that counts tests. */
  readonly files: readonly FileResult[];
  readonly output: string;
}

/** Collected for the end of the output. */
interface Findings {
  readonly failures: string[];
  /** Files that failed, and passed when they ran again alone. */
  readonly unstable: string[];
}

async function runOnce(check: Check, progress: Progress): Promise<Outcome> {
  progress.running(check.name);
  const { code, output } = await execute(check.command, check.args, check.timeoutMs, (line) =>
    progress.running(check.name, line),
  );
  if (check.project === undefined)
    return { counts: code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }, files: [], output };
  const files = readReport(check.report);
  return { counts: countTests(files, code), files, output };
}

/** Runs the files that failed once more, one after the other, so that a test that depends on timing does not decide. */
async function runAgain(check: Check, first: Outcome, progress: Progress, unstable: string[]): Promise<Outcome> {
  const failed = failedFiles(first.files);
  if (failed.length === 0 || first.output.includes("Unhandled Error")) return first;
  progress.print(`${first.output}\nUNSTABLE? ${check.name}: running once more, alone: ${failed.join(" ")}`);
  const rerun = await runOnce(rerunOf(check, rerunReport, failed), progress);
  const files = withRerun(first.files, rerun.files);
  const stillFailed = new Set(failedFiles(files));
  unstable.push(...failed.filter((file) => !stillFailed.has(file)));
  return { output: rerun.output, files, counts: countTests(files, rerun.counts.failed) };
}

async function runCheck(check: Check, progress: Progress, { failures, unstable }: Findings): Promise<Counts> {
  const started = progress.elapsed();
  const { counts, files, output } = await runAgain(check, await runOnce(check, progress), progress, unstable);
  progress.ended(check.name);
  const seconds = ((progress.elapsed() - started) / 1000).toFixed(1);
  const rootTests = countRootTests(files);
  const unable = rootTests === 0 ? "" : `, ${rootTests} need root and did not run`;
  const detail = check.project === undefined ? "" : `, ${counts.passed} passed, ${counts.failed} failed${unable}`;
  if (counts.failed > 0) {
    progress.print(output);
    const tests = check.project === undefined ? [] : failedTests(files, check.project);
    failures.push(
      ...(tests.length > 0 ? tests : [`FAILED ${check.name}\n    ${[check.command, ...check.args].join(" ")}`]),
    );
  }
  progress.print(`${counts.failed === 0 ? "ok    " : "FAILED"} ${check.name} (${seconds} s${detail})`);
  for (const line of slowestTests(files, slowestShown)) progress.print(`         ${line}`);
  return counts;
}

async function runStage(stage: Stage, progress: Progress, findings: Findings): Promise<readonly Counts[]> {
  const counts: Counts[] = [];
  const waiting = stage.values();
  const worker = async (): Promise<void> => {
    for (const check of waiting) counts.push(await runCheck(check, progress, findings));
  };
  await Promise.all(Array.from({ length: maxParallel }, worker));
  return counts;
}

function printFindings({ failures, unstable }: Findings): void {
  for (const file of unstable)
    console.log(`UNSTABLE: ${relative(".", file)} failed once. Find out why: the test or the product has a race.`);
  for (const failure of failures.slice(0, failuresShown)) console.log(failure);
  if (failures.length > failuresShown)
    console.log(`and ${failures.length - failuresShown} more, in the reports under ${folder}`);
}

/** Removes what the run will write. The rest of the folder spares work, also that of tests that run at the same time. */
function removeReports(checks: readonly Check[]): void {
  mkdirSync(folder, { recursive: true });
  const reports = checks.map(({ report }) => report).filter((file) => file !== "");
  for (const file of [...reports, rerunReport, unstableFile, summaryFile]) rmSync(file, { force: true });
}

async function main(): Promise<void> {
  const name = process.argv[2] ?? "all";
  if (!isPlan(name)) throw new Error(`no plan ${name}: all, quick, static or long`);
  process.chdir(join(import.meta.dirname, ".."));
  const lastRuns = readLastRuns();
  const stages = planOf(name);
  removeReports(stages.flat());
  const progress = createProgress(stages.flat().length, lastRuns[name]);
  const findings: Findings = { failures: [], unstable: [] };
  let passed = 0;
  let failed = 0;
  for (const stage of stages) {
    for (const counts of await runStage(stage, progress, findings)) {
      passed += counts.passed;
      failed += counts.failed;
    }
  }
  progress.stop();
  printFindings(findings);
  writeFileSync(unstableFile, findings.unstable.map((file) => `${file}\n`).join(""));
  writeFileSync(lastRunsFile, JSON.stringify({ ...lastRuns, [name]: Math.round(progress.elapsed()) }));
  const summary = `${passed} passed, ${failed} failed`;
  writeFileSync(summaryFile, `${summary}\n`);
  console.log(`after ${duration(progress.elapsed())}:\n${summary}`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

await main();
