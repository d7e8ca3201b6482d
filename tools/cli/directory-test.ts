import { createSecretKey, randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { createDecoys, createPasswordVerifier } from "@postern/shared/domain/passwords";
import { formatProblem } from "@postern/shared/platform/config";
import { createKeyedDigest } from "@postern/shared/platform/crypto";
import { addTrustedRoots } from "@postern/shared/platform/net";
import { systemClock } from "@postern/shared/platform/time";
import { readPassword, type Terminal } from "../directory-test/read-password.ts";
import type { TestStep, Verdict } from "../directory-test/steps.ts";
import { type LoginReport, testLogin } from "../directory-test/test-login.ts";
import { type CommandResult, loadForCommand } from "./config-command.ts";

export const directoryUsage: readonly string[] = [
  "usage: postern directory test USER [--protocol NAME] [--config FILE] [--json] [--no-password]",
  "  Shows step by step what a login would do in the backends, and where it stops. No service needs to run.",
  "  The password is read from standard input, never from the command line.",
  "  --protocol NAME  protocol of the login, imap by default",
  "  --config FILE    configuration file (SERVICE_CONFIG_FILE)",
  "  --json           print JSON",
  "  --no-password    only look the user up",
  "exit codes: 0 a login would be accepted or the user was found, 1 neither, 2 wrong command line",
];

export const directoryOptions = {
  protocol: { type: "string", default: "imap" },
  config: { type: "string" },
  json: { type: "boolean", default: false },
  "no-password": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

const verdicts: Readonly<Record<Verdict, string>> = {
  accepted: "a login would be accepted, unless a control, a policy or a script denies it",
  denied: "a login would be denied",
  temporary_failure: "a login would end in a temporary failure",
  unknown: "the result of a login depends on checks that this command does not make",
};

const marks: Readonly<Record<TestStep["outcome"], string>> = { ok: "ok  ", note: "-   ", stop: "STOP" };

function readable({ steps, verdict }: LoginReport): readonly string[] {
  const lines = steps.map(({ step, outcome, detail, directory: backend }) =>
    [marks[outcome], backend === undefined ? "" : `[${backend}] `, step, ": ", detail]
      .join("")
      .replace(/^(.{4})/, "$1 "),
  );
  return [...lines, verdicts[verdict]];
}

const quiet = { warn: () => undefined, info: () => undefined };

/** `postern directory test USER`: what a login would do, without a service. */
export async function runDirectoryCommand(args: readonly string[], terminal: Terminal): Promise<CommandResult> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: directoryOptions, allowPositionals: true });
    if (values.help) return { exitCode: 0, output: directoryUsage, errors: [] };
    const [command, username, ...rest] = positionals;
    if (command !== "test" || username === undefined || rest.length > 0)
      return { exitCode: 2, output: [], errors: directoryUsage };
    return await testBackends(username, values, terminal);
  } catch (error) {
    if (!(error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")))
      throw error;
    return { exitCode: 2, output: [], errors: [error.message, ...directoryUsage] };
  }
}

type Values = ReturnType<typeof parseArgs<{ options: typeof directoryOptions }>>["values"];

async function testBackends(username: string, values: Values, terminal: Terminal): Promise<CommandResult> {
  const loaded = loadForCommand({ file: values.config, skipSecretFiles: false });
  if (!loaded.ok) {
    return { exitCode: 1, output: [], errors: ["configuration problems:", ...loaded.problems.map(formatProblem)] };
  }
  addTrustedRoots(loaded.config.runtime.outgoing_tls.ca_file);
  const password = values["no-password"] ? undefined : await readPassword(terminal);
  const passwords = createPasswordVerifier({ concurrency: 1, maxQueued: 4 });
  // Timing does not matter here, so the decoys are arbitrary.
  const decoys = createDecoys(createKeyedDigest(createSecretKey(randomBytes(32))), []);
  const login = { username, protocol: values.protocol, password };
  const report = await testLogin(loaded.config, login, { clock: systemClock, log: quiet, passwords, decoys });
  await passwords.close();
  const isFound = report.verdict === "accepted" || (report.verdict === "unknown" && password === undefined);
  const output = values.json
    ? [JSON.stringify({ username, protocol: values.protocol, ...report }, undefined, 2)]
    : readable(report);
  return { exitCode: isFound ? 0 : 1, output, errors: [] };
}
