import { execFileSync } from "node:child_process";

export interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

function idOfNobody(option: string): number {
  return Number(execFileSync("id", [option, "nobody"], { encoding: "utf8" }));
}

/** The user for servers that refuse to run as root: `nobody` if the test runs as root, otherwise the current user. */
export function unprivileged(): UserIds | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return { uid: idOfNobody("-u"), gid: idOfNobody("-g") };
}
