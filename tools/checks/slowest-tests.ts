import { basename } from "node:path";

interface Timed {
  readonly seconds: number;
  readonly name: string;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function listIn(value: unknown, member: string): readonly unknown[] {
  const list = isRecord(value) ? value[member] : undefined;
  return Array.isArray(list) ? list : [];
}

function parsed(report: string): unknown {
  try {
    return JSON.parse(report);
  } catch {
    return undefined;
  }
}

function timedTests(file: unknown): readonly Timed[] {
  const path = isRecord(file) && typeof file["name"] === "string" ? basename(file["name"]) : "";
  return listIn(file, "assertionResults").flatMap((test) => {
    if (!isRecord(test) || typeof test["duration"] !== "number") return [];
    return [{ seconds: test["duration"] / 1000, name: `${path}: ${String(test["title"])}` }];
  });
}

/** The slowest tests in a report of vitest's JSON reporter: "12.3 s file: title". */
export function slowestTests(report: string, count: number): readonly string[] {
  const tests = listIn(parsed(report), "testResults").flatMap(timedTests);
  const slowest = tests.toSorted((one, other) => other.seconds - one.seconds).slice(0, count);
  return slowest.map(({ seconds, name }) => `${seconds.toFixed(1)} s ${name}`);
}
