import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

test.each(["bench/run.ts", "tools/package.ts", "test/long/risk/run.ts"])(
  "%s runs from source, although what it imports contains scripts of Redis",
  async (entry) => {
    const run = promisify(execFile)(process.execPath, [join(root, entry), "--no-such-option"], { cwd: root });
    await expect(run).rejects.toMatchObject({ stderr: expect.stringContaining("Unknown option '--no-such-option'") });
  },
);
