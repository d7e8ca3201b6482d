/** More failed files than this are not rerun: then the machine or the change is at fault, and not the timing of one test. */
const mostFiles = 3;

interface FileResult {
  readonly name: string;
  readonly status: string;
}

function isFileResult(value: unknown): value is FileResult {
  return typeof value === "object" && value !== null && "name" in value && "status" in value;
}

function filesIn(report: string | undefined): readonly FileResult[] {
  try {
    const parsed: unknown = JSON.parse(report ?? "");
    if (typeof parsed !== "object" || parsed === null || !("testResults" in parsed)) return [];
    const files = parsed.testResults;
    return Array.isArray(files) && files.every(isFileResult) ? files : [];
  } catch {
    return [];
  }
}

function isUnsuccessful(file: FileResult): boolean {
  return file.status !== "passed";
}

/** Files of a report of vitest's JSON reporter that are run again, alone: those that failed, unless there are many. */
export function filesToRerun(report: string | undefined): readonly string[] {
  const failed = filesIn(report)
    .filter(isUnsuccessful)
    .map(({ name }) => name);
  return failed.length <= mostFiles ? failed : [];
}

/** The first report, with the results of the second in place of those of the same files. */
export function withRerun(first: string | undefined, second: string | undefined): string {
  const rerun = filesIn(second);
  const names = new Set(rerun.map(({ name }) => name));
  return JSON.stringify({ testResults: [...filesIn(first).filter(({ name }) => !names.has(name)), ...rerun] });
}
