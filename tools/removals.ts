// Usage: tools/removals.ts [--green] [--list] [NAME…]. Takes each mechanism out of a copy of the source and demands that its tests fail.
// --green demands first that they pass with it. --list prints the names.
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { removals } from "../test/removals/removals.ts";
import { runTests, runWithout } from "./removals/check-removal.ts";
import { copyTree } from "./removals/copy-tree.ts";
import type { Removal, RemovalResult } from "./removals/removal.ts";

const root = join(import.meta.dirname, "..");
const resultsFile = join(root, "test/removals/results.json");
const tryAgainMs = 50;
const maxTries = 200;
const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith("--"));

/** Several runs may write at the same time: one after the other, and each adds only its own. */
async function record(name: string, result: RemovalResult): Promise<void> {
  const lock = join(root, ".run/removals.lock");
  for (let tries = 0; ; tries += 1) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (tries === maxTries) throw new Error(`remove ${lock}: another run has not removed it`, { cause: error });
      await delay(tryAgainMs);
    }
  }
  try {
    store(name, result);
  } finally {
    rmdirSync(lock);
  }
}

function store(name: string, result: RemovalResult): void {
  const known: Record<string, RemovalResult> = JSON.parse(readFileSync(resultsFile, "utf8"));
  const sorted = Object.entries({ ...known, [name]: result }).toSorted(([left], [right]) => (left < right ? -1 : 1));
  writeFileSync(resultsFile, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
}

function chosen(): readonly Removal[] {
  const unknown = names.filter((name) => !removals.some((removal) => removal.name === name));
  if (unknown.length > 0) throw new Error(`no removal is called ${unknown.join(", ")}`);
  return names.length === 0 ? removals : removals.filter(({ name }) => names.includes(name));
}

async function check(copy: string, removal: Removal): Promise<boolean> {
  const started = performance.now();
  const green = args.includes("--green") ? await runTests(copy, removal) : undefined;
  const isGreen = green === undefined || green.outcome === "survived";
  const found = await runWithout(copy, removal);
  const isGood = isGreen && found.outcome === "failed";
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const before = green === undefined ? "" : isGreen ? ", passes with it" : `, NOT GREEN WITH IT: ${green.how}`;
  console.log(`${isGood ? "ok    " : "FAULT "} ${removal.name}: ${found.outcome} (${seconds} s${before}) ${found.how}`);
  if (isGreen) await record(removal.name, { date: new Date().toISOString().slice(0, 10), ...found });
  return isGood;
}

/** @returns the names of those whose tests did not fail */
async function checkAll(copy: string): Promise<readonly string[]> {
  const faults: string[] = [];
  copyTree(root, copy);
  for (const removal of chosen()) {
    const isGood = await check(copy, removal);
    if (!isGood) faults.push(removal.name);
  }
  return faults;
}

if (args.includes("--list")) {
  for (const { name, mechanism } of removals) console.log(`${name}: ${mechanism}`);
} else {
  mkdirSync(join(root, ".run"), { recursive: true });
  const copy = mkdtempSync(join(root, ".run/removals-"));
  // The copy goes even after an interruption, which ends the process.
  process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
  const faults = await checkAll(copy);
  console.log(faults.length === 0 ? "every test fails without its mechanism" : `faults: ${faults.join(", ")}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
