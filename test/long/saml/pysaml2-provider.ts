import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const script = fileURLToPath(new URL("pysaml2_provider.py", import.meta.url));
const version = "7.5.5";

/** Installs pysaml2 in an environment of its own. @returns its Python */
export async function installPysaml2(folder: string): Promise<string> {
  const environment = join(folder, "python");
  await run("python3", ["-m", "venv", environment]);
  const python = join(environment, "bin/python");
  await run(python, ["-m", "pip", "install", "--quiet", `pysaml2==${version}`]);
  return python;
}

export interface PythonProvider extends AsyncDisposable {
  /** @throws with the library's message if it refuses */
  ask(command: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
}

async function stop(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null) return;
  child.stdin.end();
  await once(child, "close");
}

export function startPythonProvider(python: string): PythonProvider {
  const child = spawn(python, [script]);
  child.stderr.resume();
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ask: async (command) => {
      child.stdin.write(`${JSON.stringify(command)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error("the service provider has ended");
      const answer: Readonly<Record<string, unknown>> = Object(JSON.parse(value));
      if (answer["error"] !== undefined) throw new Error(String(answer["error"]));
      return answer;
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}
