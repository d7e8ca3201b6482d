import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";

export interface Execution {
  /** 0 only if the program ended successfully and in time. */
  readonly code: number;
  /** Both streams, in the order of arrival. */
  readonly output: string;
}

/**
 * Runs a program for at most `timeoutMs`; then its whole process group is killed.
 *
 * @param onLine gets each line that the program writes to descriptor 3
 */
export function execute(
  command: string,
  args: readonly string[],
  timeoutMs: number,
  onLine?: (line: string) => void,
): Promise<Execution> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe", "pipe"], detached: true });
    const [, output, errors, lines] = child.stdio;
    if (onLine !== undefined && lines instanceof Readable) createInterface(lines).on("line", onLine);
    const chunks: string[] = [];
    const collect = (chunk: string): void => void chunks.push(chunk);
    const end = (code: number): void => {
      clearTimeout(timer);
      for (const name of interruptions) process.off(name, interrupt);
      resolve({ code, output: chunks.join("") });
    };
    const kill = (): void => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    };
    const interrupt = (): void => {
      kill();
      process.exit(130);
    };
    const timer = setTimeout(() => {
      collect(`\nkilled: not finished within ${timeoutMs / 1000} s\n`);
      kill();
    }, timeoutMs);
    const interruptions = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    for (const name of interruptions) process.on(name, interrupt);
    for (const stream of [output, errors]) stream?.setEncoding("utf8").on("data", collect);
    child.once("error", (error) => {
      collect(String(error));
      end(1);
    });
    child.once("close", (code) => end(code ?? 1));
  });
}
