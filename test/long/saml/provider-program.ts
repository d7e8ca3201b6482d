import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface ProviderProgram extends AsyncDisposable {
  /** @throws with the library's message if it refuses */
  ask(command: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
}

async function stop(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null) return;
  child.stdin.end();
  await once(child, "close");
}

/** A service provider as a program that reads commands and writes answers, a JSON object a line. */
export function startProviderProgram(command: string, args: readonly string[]): ProviderProgram {
  const child = spawn(command, args);
  child.stderr.resume();
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ask: async (request) => {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error("the service provider has ended");
      const answer: Readonly<Record<string, unknown>> = Object(JSON.parse(value));
      if (answer["error"] !== undefined) throw new Error(String(answer["error"]));
      return answer;
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}
