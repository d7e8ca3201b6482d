import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = join(import.meta.dirname, "../..");
const root = join(repository, ".run/debian-12");
const packages = "dovecot-imapd,dovecot-auth-lua,lua-cjson";

/** The programs of Dovecot 2.3 on this machine. */
export interface Dovecot23 {
  /** The command that precedes a program's name and arguments. */
  readonly enter: readonly string[];
}

/**
 * Configuration files of 2.3 do not load in 2.4, the only version of Debian 13. There, a Debian 12 beside it has 2.3; the same folders,
 * ports and users are valid in it.
 */
export async function findDovecot23(path: string): Promise<Dovecot23> {
  const { stdout: version } = await run("dovecot", ["--version"], { env: { PATH: path } });
  if (version.startsWith("2.3.")) return { enter: [] };
  if (process.getuid?.() !== 0)
    throw new Error(
      `this test needs Dovecot 2.3, and Dovecot ${version.trim()} is installed: as root, the test makes a Debian 12 with 2.3`,
    );
  await mkdir(join(repository, ".run"), { recursive: true });
  await run(join(import.meta.dirname, "prepare-debian.sh"), [root, "bookworm", packages]);
  const script = join(import.meta.dirname, "enter-debian.sh");
  return { enter: ["unshare", "--mount", "--propagation", "unchanged", script, root, tmpdir()] };
}
