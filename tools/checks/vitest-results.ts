export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

interface FileResult {
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

function isFileResult(value: unknown): value is FileResult {
  if (typeof value !== "object" || value === null || !("status" in value) || !("assertionResults" in value))
    return false;
  return Array.isArray(value.assertionResults);
}

function readFiles(report: string): readonly FileResult[] | undefined {
  try {
    const parsed: unknown = JSON.parse(report);
    if (typeof parsed !== "object" || parsed === null || !("testResults" in parsed)) return undefined;
    const files = parsed.testResults;
    return Array.isArray(files) && files.every(isFileResult) ? files : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Counts the tests in a report of vitest's JSON reporter. A file that could not be loaded counts as one failure, and so does a skipped
 * test; a run that failed, left no report or ran nothing has at least one failure.
 */
export function countTests(report: string | undefined, exitCode: number): Counts {
  const files = (report === undefined ? undefined : readFiles(report)) ?? [];
  const statuses = files.flatMap((file) => file.assertionResults.map(({ status }) => status));
  const passed = statuses.filter((status) => status === "passed").length;
  const unloaded = files.filter(
    (file) => file.status !== "passed" && file.assertionResults.every(({ status }) => status === "passed"),
  ).length;
  const failed = statuses.length - passed + unloaded;
  const hidden = failed === 0 && (exitCode !== 0 || passed === 0) ? 1 : 0;
  return { passed, failed: failed + hidden };
}
