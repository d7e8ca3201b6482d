import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

const program = `
  import { write } from "node:fs";
  import { endAtOnce } from ${JSON.stringify(new URL("end-at-once.ts", import.meta.url).href)};
  const more = Buffer.alloc(1 << 20);
  write(1, more, () => process.exit(0));
  setTimeout(() => { process.stderr.write("pid " + process.pid); endAtOnce(); }, 200);
`;

/** The result of a process whose standard output is not read. */
async function endOf(
  command: string,
  args: readonly string[],
): Promise<{ code: unknown; signal: unknown; said: string }> {
  const child = spawn(command, [...args, process.execPath, "--input-type=module", "-e", program]);
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const [code, signal]: unknown[] = await once(child, "exit");
  return { code, signal, said };
}

test("a process ends although one of its writes hangs", async () => {
  expect(await endOf("/usr/bin/env", [])).toMatchObject({ code: null, signal: "SIGKILL" });
});

test("the first process of a container, which ignores its own signals, ends although a write hangs", async () => {
  // Only root needs no user namespace, which cannot be made in a chroot.
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const first = await endOf("unshare", [...user, "--pid", "--fork"]);
  expect(first).toEqual({ code: 1, signal: null, said: "pid 1" });
});
