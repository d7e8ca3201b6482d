import { readdirSync } from "node:fs";

export interface Check {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  /** Where vitest leaves its results; each of its tests counts, not the check. */
  readonly report?: string;
}

export type Plan = "all" | "static" | "long";

const source = "--conditions=@postern/source";

function program(name: string, command: string, ...args: readonly string[]): Check {
  return { name, command: `node_modules/.bin/${command}`, args, timeoutMs: 120_000 };
}

function vitest(project: string, timeoutMs: number): Check {
  const report = `.run/test/${project}.json`;
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const args = ["run", "--project", project, "--no-color", ...reporters];
  return { name: `${project} tests`, command: "node_modules/.bin/vitest", args, timeoutMs, report };
}

/** A generator is a file tools/generate-*.ts; with --check it compares, writes nothing, and fails on a difference. */
function generatedFiles(): readonly Check[] {
  const generators = readdirSync("tools").filter((file) => /^generate-.*\.ts$/u.test(file));
  return generators.map((file) =>
    program(`generated: ${file.slice("generate-".length, -".ts".length)}`, "node", source, `tools/${file}`, "--check"),
  );
}

function staticChecks(): readonly Check[] {
  return [
    program("build", "tsc", "-b", "tsconfig.build.json"),
    program("format", "biome", "check", "."),
    program("types", "tsc", "-p", "tsconfig.json"),
    program("lint", "oxlint", "--type-aware", "--deny-warnings"),
    program("dependency rules", "node", source, "tools/architecture/check.ts"),
    program("dead code and dependencies", "knip", "--no-progress"),
    ...generatedFiles(),
  ];
}

/** What a run consists of, in order. */
export function planOf(name: Plan): readonly Check[] {
  switch (name) {
    case "all":
      return [...staticChecks(), vitest("unit", 900_000), vitest("integration", 1_800_000)];
    case "static":
      return staticChecks();
    case "long":
      return [vitest("long", 3_600_000)];
  }
}
