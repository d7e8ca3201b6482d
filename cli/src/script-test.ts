import { readFile } from "node:fs/promises";
import { isDeepStrictEqual, parseArgs } from "node:util";
import {
  createScriptPool,
  isLuaObject,
  type LuaObject,
  type LuaValue,
  loadScripts,
  type ScriptHost,
  type ScriptLogLine,
  toLuaValue,
} from "@postern/shared/domain/scripts";
import type { CommandResult } from "./command.ts";

export const scriptUsage: readonly string[] = [
  "usage: postern script test FILE --input REQUEST.json [--package DIR] [--translations FILE]",
  "  Runs one function of a script. REQUEST.json contains { entry, request, answers?, expect? }:",
  "  entry    function: environment, subject, action, hook, verify_password, lookup, list_accounts or start",
  "  request  argument of the function",
  "  answers  recorded answers of the modules, in order: { call: http.request, result } or { call, error }",
  "  expect   expected result; any other result leads to exit code 1",
];

export const scriptOptions = {
  input: { type: "string" },
  package: { type: "string", default: "" },
  translations: { type: "string", default: "" },
  help: { type: "boolean", short: "h", default: false },
} as const;

interface Input {
  readonly entry: string;
  readonly request: LuaValue;
  readonly answers: readonly LuaObject[];
  readonly expect: LuaValue;
}

function inputOf(text: string): Input {
  const tree = toLuaValue(JSON.parse(text));
  if (!isLuaObject(tree) || typeof tree.entry !== "string")
    throw new TypeError("the input must contain entry, the name of a function");
  const answers: readonly LuaValue[] = Array.isArray(tree.answers) ? tree.answers : [];
  return { entry: tree.entry, request: tree.request, answers: answers.filter(isLuaObject), expect: tree.expect };
}

/** Returns the recorded answers in order; any other call is an error in the script. */
function recordedHost(answers: readonly LuaObject[]): ScriptHost {
  const left = [...answers];
  return async (name) => {
    const next = left.shift();
    if (next === undefined) throw new Error("no recorded answer is left");
    if (next.call !== name) throw new Error(`the next recorded answer is for ${JSON.stringify(next.call)}`);
    if (typeof next.error === "string") throw new Error(next.error);
    return next.result;
  };
}

const timeoutMs = 10_000;

interface ScriptRun {
  readonly script: string;
  readonly input: Input;
  readonly packagePath: string;
  readonly translationsPath: string;
}

async function runOnce({ script, input, packagePath, translationsPath }: ScriptRun): Promise<CommandResult> {
  const errors: string[] = [];
  const printLine = ({ level, message, fields }: ScriptLogLine): void =>
    void errors.push(`${level}: ${message}${fields === undefined ? "" : ` ${JSON.stringify(fields)}`}`);
  const files = [{ path: script, entryPoints: [input.entry] }];
  const pool = await createScriptPool({
    set: await loadScripts(files, packagePath, translationsPath),
    limits: { workers: 1, maxInFlight: 1, cpuLimitMs: 1000, memoryLimitBytes: 16 * 1024 * 1024 },
    host: recordedHost(input.answers),
    onLog: printLine,
    onCount: (_script, name, by) => void errors.push(`count: ${name} by ${by}`),
    onReplaced: () => undefined,
  });
  try {
    const call = {
      script,
      entry: input.entry,
      args: [input.request],
      deadline: performance.timeOrigin + performance.now() + timeoutMs,
    };
    const result = await pool.run(call);
    const output = [JSON.stringify(result ?? null, undefined, 2)];
    if (input.expect === undefined || isDeepStrictEqual(result, input.expect)) return { exitCode: 0, output, errors };
    return { exitCode: 1, output, errors: [...errors, `expected ${JSON.stringify(input.expect)}`] };
  } finally {
    await pool.close();
  }
}

function wrong(...said: readonly string[]): CommandResult {
  return { exitCode: 2, output: [], errors: [...said, ...scriptUsage] };
}

/** `postern script test`: one function of one script, with recorded answers of the modules. */
export async function runScriptCommand(args: readonly string[]): Promise<CommandResult> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: scriptOptions, allowPositionals: true });
    if (values.help) return { exitCode: 0, output: scriptUsage, errors: [] };
    const [command, script] = positionals;
    if (command !== "test" || script === undefined || values.input === undefined) return wrong();
    const input = inputOf(await readFile(values.input, "utf8"));
    return await runOnce({ script, input, packagePath: values.package, translationsPath: values.translations });
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return wrong(error.message);
    return { exitCode: 1, output: [], errors: [error instanceof Error ? error.message : "failed"] };
  }
}
