import { join, resolve } from "node:path";
import { runCompletionCommand } from "./cli/completion.ts";
import { runImportCommand } from "./cli/config-import.ts";
import { runDirectoryCommand } from "./cli/directory-test.ts";
import { runDnsCommand } from "./cli/dns.ts";
import { runDoctorCommand } from "./cli/doctor.ts";
import { runInitCommand } from "./cli/init.ts";
import { findOwnSite, type RunningDemo } from "./cli/operator/own-site.ts";
import { isOperatorCommand, runOperatorCommand } from "./cli/operator/run-operator.ts";
import { runRiskCommand } from "./cli/risk-replay.ts";
import { run } from "./cli/run.ts";
import { runScriptCommand } from "./cli/script-test.ts";
import { isAlive } from "./run/identity.ts";
import { readState } from "./run/state.ts";

const args = process.argv.slice(2);
const [topic, ...rest] = args;
const terminal = { input: process.stdin, output: process.stderr };

/** The demo of this working copy; a package has none. */
function runningDemo(): RunningDemo | undefined {
  const root = resolve(import.meta.dirname, "..");
  const state = readState(join(root, ".run/demo"));
  return state !== undefined && isAlive(state.runner)
    ? { configFile: join(root, "config", "demo.yaml"), url: state.address }
    : undefined;
}

async function runTopic() {
  if (topic === "script") return runScriptCommand(rest);
  if (topic === "config" && rest[0] === "import") return runImportCommand(rest.slice(1));
  if (topic === "init") return runInitCommand(rest, terminal);
  if (topic === "doctor") return runDoctorCommand(rest);
  if (topic === "completion") return runCompletionCommand(rest);
  if (topic === "dns") return runDnsCommand(rest);
  if (topic === "risk" && rest[0] === "replay") return runRiskCommand(rest);
  if (topic === "directory") return runDirectoryCommand(rest, terminal);
  if (!isOperatorCommand(args)) return run(args);
  return runOperatorCommand(args, {
    environment: process.env,
    findOwnSite: (file) => findOwnSite(file, runningDemo()),
    progress: (line) => console.error(line),
  });
}

const { exitCode, output, errors } = await runTopic();
for (const line of errors) console.error(line);
for (const line of output) console.log(line);
process.exitCode = exitCode;
