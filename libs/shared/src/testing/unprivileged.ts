import { execFileSync } from "node:child_process";

export interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

function idOfNobody(option: string): number {
  return Number(execFileSync("id", [option, "nobody"], { encoding: "utf8" }));
}

/** Who runs a server that refuses root: `nobody`, and nobody else where we are not root ourselves. */
export function unprivileged(): UserIds | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return { uid: idOfNobody("-u"), gid: idOfNobody("-g") };
}
