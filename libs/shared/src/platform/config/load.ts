import { type Mapping } from "../json/index.ts";
import { acceptedKeys, createUnknownKeys } from "./accepted-keys.ts";
import { messages } from "./messages.ts";
import { createProblemList, didYouMean, type Problem, type Report } from "./problem.ts";
import {
  type ConfigSources,
  type Draft,
  follow,
  type ReadContext,
  readSection,
  type ValueSource,
} from "./read/reader.ts";
import { unreadSecret } from "./redact.ts";
import { renameKeys } from "./renamed-keys.ts";
import { type Config, Root } from "./sections/root.ts";
import { deriveRedisRoles } from "./sections/storage.ts";
import { createEnvironment, type Environment, type Variables } from "./sources/environment.ts";
import { type Expansion, expandTree } from "./sources/expand.ts";
import { readYaml } from "./sources/yaml.ts";
import type { SchemaNode } from "./tree/node.ts";
import { environmentName, fixedLeaves, formatPath, nodeAt, type Path, parsePath, valueLeaves } from "./tree/walk.ts";
import { validate } from "./validate.ts";

/** Warns about variables with the prefix that match no key. They may belong to another program, so they are not problems. */
function warnUnusedVariables(environment: Environment, warning: Report): void {
  const unused = environment.unused();
  if (unused.length === 0) return;
  const known = fixedLeaves(Root).flatMap(({ path, node }) => {
    const name = environmentName(path);
    return node.secret ? [name, `${name}_FILE`] : [name];
  });
  for (const name of unused) {
    if (isAccepted(name)) warning(name, messages.noEffect);
    else warning(name, messages.unknownVariable, didYouMean(name, known));
  }
}

function isAccepted(name: string): boolean {
  return acceptedKeys.some((row) => {
    const path = row.split(".");
    const isSubtree = path.at(-1) === "**";
    const own = environmentName(isSubtree ? path.slice(0, -1) : path);
    return name === own || (isSubtree && name.startsWith(`${own}_`));
  });
}

export interface LoadOptions {
  /** YAML file; `text` takes precedence. Without both, only defaults and environment apply. */
  readonly file?: string | undefined;
  readonly text?: string | undefined;
  readonly env: Variables;
  /** Throws when the file cannot be read. */
  readonly readFile: (path: string) => string;
  /** Checks a file on a machine that has none of the secrets: secret files and variables count as set. */
  readonly skipSecretFiles?: boolean | undefined;
}

export type LoadResult =
  | {
      readonly ok: true;
      readonly config: Config;
      readonly warnings: readonly Problem[];
      readonly sources: ConfigSources;
    }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] };

/**
 * Defaults, then the file, then the environment. All problems are reported together; no problem contains a value. Never
 * throws for anything that a file or a variable can hold.
 */
export function loadConfig(options: LoadOptions): LoadResult {
  const problems = createProblemList();
  const warnings = createProblemList();
  const environment = createEnvironment(options.env, problems.report);
  const sources = new Map<string, ValueSource>();
  const context: ReadContext = {
    environment,
    problem: problems.report,
    unknownKey: createUnknownKeys(problems.report, warnings.report),
    sources,
    readSecretFile: secretFileReader(options, problems.report),
  };
  const written = readTree(options, problems.report);
  // Without the file all its values are missing, which is reported as one problem.
  if (written === undefined) return { ok: false, problems: problems.sorted(), warnings: [] };
  const expanded = expandRoots(written, {
    variable: (name, path) => environment.expand(name) ?? unreadVariable(options, nodeAt(Root, path)),
    problem: problems.report,
  });
  const renamed = renameKeys(expanded, problems.report, warnings.report);
  const config = readSection(Root, renamed, [], context);
  derive({ root: config, sources });
  warnUnusedVariables(environment, warnings.report);
  validate(config, { problem: problems.report, warning: warnings.report });
  const found = problems.sorted();
  if (found.length > 0) return { ok: false, problems: found, warnings: warnings.sorted() };
  return { ok: true, config: freeze(config), warnings: warnings.sorted(), sources };
}

/** Fills unset keys from the keys that they follow. */
export function derive(draft: Draft): void {
  for (const { path, node } of valueLeaves(Root, draft.root)) {
    if (node.defaultFrom !== undefined) follow(draft, path, parsePath(node.defaultFrom));
  }
  deriveRedisRoles(draft);
}

function readTree(options: LoadOptions, problem: (path: string, reason: string) => void): Mapping | undefined {
  const { file, text } = options;
  if (text !== undefined) return readYaml(text, file ?? "configuration", problem);
  if (file === undefined) return {};
  try {
    return readYaml(options.readFile(file), file, problem);
  } catch {
    problem(file, messages.unreadable);
    return undefined;
  }
}

/** `x-…` roots only hold anchors, which the parser has already merged. */
function expandRoots(tree: Mapping, expansion: Expansion): Mapping {
  return Object.fromEntries(
    Object.entries(tree)
      .filter(([name]) => !name.startsWith("x-"))
      .map(([name, value]) => [name, expandTree(value, [name], expansion)]),
  );
}

/** Without secrets, their variables are missing too. */
function unreadVariable(options: LoadOptions, node: SchemaNode | undefined): string | undefined {
  return options.skipSecretFiles === true && node?.kind === "leaf" && node.secret ? unreadSecret : undefined;
}

function secretFileReader(options: LoadOptions, problem: (path: string, reason: string) => void) {
  return (path: Path, file: string): string | undefined => {
    if (options.skipSecretFiles === true) return unreadSecret;
    try {
      return options.readFile(file).replace(/\r?\n$/, "");
    } catch {
      problem(formatPath(path), messages.secretFile(file));
      return undefined;
    }
  };
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) freeze(child);
  return Object.freeze(value);
}
