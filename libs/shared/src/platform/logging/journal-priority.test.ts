import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const program = `
  import { createLogger } from ${JSON.stringify(join(import.meta.dirname, "logger.ts"))};
  const { logger, stream, flush } = createLogger({ service: "a", instance: "b", level: "debug" });
  logger.error("one");
  logger.warn("two");
  logger.info("three");
  logger.debug("four");
  stream.write('{"event":"five"}\\n');
  await flush();
`;

async function linesWith(journalStream: string): Promise<readonly string[]> {
  const script = `JOURNAL_STREAM=${journalStream} exec "$0" --input-type=module -e "$1"`;
  const { stdout } = await promisify(execFile)("sh", ["-c", script, process.execPath, program]);
  return stdout.trim().split("\n");
}

test("lines have their priority where standard output is the journal", async () => {
  expect(await linesWith("$(stat -Lc %d:%i /proc/$$/fd/1)")).toEqual([
    expect.stringMatching(/^<3>\{"level":"error".*"one"\}$/u),
    expect.stringMatching(/^<4>\{"level":"warn".*"two"\}$/u),
    expect.stringMatching(/^<6>\{"level":"info".*"three"\}$/u),
    expect.stringMatching(/^<7>\{"level":"debug".*"four"\}$/u),
    '{"event":"five"}',
  ]);
});

test("lines are JSON only where standard output leads elsewhere", async () => {
  for (const line of await linesWith("1:1")) expect(JSON.parse(line)).toBeTypeOf("object");
});
