import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "@postern/shared/platform/config";

type Environment = Readonly<Record<string, string | undefined>>;

const mostRemembered = 100;

/** The rules that a rehearsal applies. */
const rulesOf = ({ auth }: Config): string =>
  JSON.stringify([auth.controls, auth.policy, auth.pipeline.master_user, auth.backends]);

/** Digests of the changes that this user has rehearsed, one in a line. Undefined for a user without a home. */
function stateFile({ XDG_STATE_HOME: state, HOME: home }: Environment): string | undefined {
  const folder = state !== undefined && state !== "" ? state : home && join(home, ".local/state");
  return folder === undefined || folder === "" ? undefined : join(folder, "postern/rehearsed");
}

function readState(file: string): readonly string[] {
  try {
    const digests = readFileSync(file, "utf8").split("\n");
    return digests.filter((line) => /^[0-9a-f]{64}$/u.test(line)).slice(-mostRemembered);
  } catch {
    return [];
  }
}

/** Undefined if the rules are the same. The configurations themselves are not kept: they may say much about a site. */
function digestOfChange(before: Config, after: Config): string | undefined {
  const [old, next] = [rulesOf(before), rulesOf(after)];
  return old === next
    ? undefined
    : createHash("sha256")
        .update(JSON.stringify([old, next]))
        .digest("hex");
}

/** Whether the rules differ in a way that this user has not rehearsed. */
export function isUnrehearsed(before: Config, after: Config, environment: Environment): boolean {
  const digest = digestOfChange(before, after);
  const file = stateFile(environment);
  return digest !== undefined && (file === undefined || !readState(file).includes(digest));
}

/** A home that cannot be written to costs no more than a hint that is shown once too often. */
export function rememberRehearsal(before: Config, after: Config, environment: Environment): void {
  const digest = digestOfChange(before, after);
  const file = stateFile(environment);
  if (digest === undefined || file === undefined) return;
  const digests = [...readState(file).filter((one) => one !== digest), digest].slice(-mostRemembered);
  const next = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(next, `${digests.join("\n")}\n`, { mode: 0o600 });
    renameSync(next, file);
  } catch {
    // See above.
  }
}
