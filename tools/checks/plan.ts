import { readdirSync } from "node:fs";

export interface Check {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  /** The project of vitest. Each of its tests is counted instead of the check, and files that failed are run again. */
  readonly project?: string;
  /** File with the results of the project. */
  readonly report: string;
}

export type Plan = "all" | "quick" | "static" | "long";

function program(name: string, command: string, ...args: readonly string[]): Check {
  return { name, command: `node_modules/.bin/${command}`, args, timeoutMs: 900_000, report: "" };
}

function vitest(project: string, timeoutMs: number, files: readonly string[] = []): Check {
  const report = `.run/test/${project}.json`;
  const reporters = ["default", "json", "./tools/checks/file-reporter.ts"].map((name) => `--reporter=${name}`);
  const args = ["run", "--project", project, "--no-color", ...reporters, `--outputFile.json=${report}`, ...files];
  return { name: `${project} tests`, command: "node_modules/.bin/vitest", args, timeoutMs, project, report };
}

/** One decision in each dialect, and one sign-in. */
const quickFiles = ["test/integration/quick.test.ts"];

/** The check's tests in some files, one after the other. */
export function rerunOf(check: Check, report: string, files: readonly string[]): Check {
  const args = check.args.filter((arg) => !arg.startsWith("--outputFile") && !arg.endsWith(".test.ts"));
  return { ...check, report, args: [...args, `--outputFile.json=${report}`, "--no-file-parallelism", ...files] };
}

/** Files with prose for readers; `.textlintignore` lists the exceptions. */
const prose = [
  "*.md",
  "{docs,deploy,k8s,libs,services}/**/*.md",
  "docs/reference/api/*.yaml",
  "services/idp/src/pages/texts/en.json",
];

/** A generator is a file tools/generate-*.ts; with --check it writes nothing, compares, and fails on a difference. */
function generatedFiles(): readonly Check[] {
  const generators = readdirSync("tools").filter((file) => /^generate-.*\.ts$/u.test(file));
  return generators.map((file) =>
    program(`generated: ${file.slice("generate-".length, -".ts".length)}`, "node", `tools/${file}`, "--check"),
  );
}

/** The checks of a stage do not depend on each other. */
export type Stage = readonly Check[];

function staticChecks(): Stage {
  return [
    // It takes the longest, so it begins first: the others share the other core meanwhile.
    program("lint", "oxlint", "--type-aware", "--deny-warnings"),
    program("format", "biome", "check", "."),
    // By default four checkers repeat each other's work, for half as much CPU time again; another check uses the other core.
    program("types", "tsc", "-p", "tsconfig.json", "--checkers", "1"),
    program("dependency rules", "node", "tools/architecture/check.ts"),
    program("prose", "textlint", "--format", "unix", ...prose),
    program("dead code and dependencies", "knip", "--no-progress"),
    ...generatedFiles(),
  ];
}

/** The stages of a run, in order. */
export function planOf(name: Plan): readonly Stage[] {
  switch (name) {
    case "all":
      // The unit tests begin beside the last static checks, so that both cores are busy.
      return [[...staticChecks(), vitest("unit", 900_000)], [vitest("integration", 3_600_000)]];
    case "quick":
      // One stage, so that both cores are busy until the end.
      return [[...staticChecks(), vitest("unit", 900_000), vitest("integration", 900_000, quickFiles)]];
    case "static":
      return [staticChecks()];
    case "long":
      return [[vitest("slow", 3_600_000)], [vitest("long", 3_600_000)]];
  }
}
