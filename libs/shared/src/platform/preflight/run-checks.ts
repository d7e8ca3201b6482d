import type { Config } from "../config/index.ts";
import type { Problem } from "../config/problem.ts";
import { AppError } from "../errors/app-error.ts";

/** Something that a service opens or compiles. */
export interface PreflightCheck {
  /** The configuration key that names it. */
  readonly path: string;
  /** Throws when it cannot be used. */
  readonly run: () => unknown;
  /** It contains a secret: skipped if secrets are not read. */
  readonly isSecret?: boolean;
  /** The service starts without it and tries again later. */
  readonly isOptional?: boolean;
}

/** What a service opens and compiles from a configuration. The service and `config check` run the same list. */
export type Preflight = (config: Config) => readonly PreflightCheck[];

export interface PreflightReport {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** The reason in words: the detail without its code, and the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "cannot be used";
  const text = error instanceof AppError ? error.message.replace(/^[A-Z_]+: /, "") : error.message;
  return error.cause instanceof Error && !text.includes(error.cause.message) ? `${text}: ${error.cause.message}` : text;
}

async function failureOf({ path, run }: PreflightCheck): Promise<Problem | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    const reason = reasonOf(error);
    // Some messages already begin with the key.
    return { path, reason: reason.startsWith(`${path} `) ? reason.slice(path.length + 1) : reason };
  }
}

/** Runs every check and reports all failures in the order of the checks, at most one per path. */
export async function runChecks(checks: readonly PreflightCheck[]): Promise<PreflightReport> {
  const found = { problems: new Map<string, Problem>(), warnings: new Map<string, Problem>() };
  // Sequential: each may be a large file of the site, and there are few.
  for (const check of checks) {
    const problem = await failureOf(check);
    if (problem === undefined) continue;
    const list = check.isOptional === true ? found.warnings : found.problems;
    if (!list.has(problem.path)) list.set(problem.path, problem);
  }
  return { problems: [...found.problems.values()], warnings: [...found.warnings.values()] };
}
