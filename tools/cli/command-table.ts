import { importOptions, importUsage } from "./config-import.ts";
import { doctorOptions, doctorUsage } from "./doctor.ts";
import { initOptions, initUsage } from "./init/flags.ts";
import { operatorHelp } from "./operator/run-operator.ts";

/** A command for completion and the manual page. */
export interface TableCommand {
  readonly name: string;
  /** Second words; empty without any. */
  readonly actions: readonly string[];
  /** Without the leading hyphens. */
  readonly options: readonly string[];
  /** What `--help` prints. */
  readonly help: readonly string[];
}

const named = (options: object): readonly string[] => Object.keys(options);
const file = ["config", "help"];

const local: readonly TableCommand[] = [
  { name: "init", actions: [], options: named(initOptions), help: initUsage },
  { name: "doctor", actions: [], options: named(doctorOptions), help: doctorUsage },
  {
    name: "config",
    actions: ["check", "dump", "explain", "docs", "schema", "import", "load"],
    options: [...file, "no-secrets", "no-files", "strict", ...named(importOptions).filter((name) => name !== "help")],
    help: [
      "usage: postern config check|dump|explain PATH|docs|schema [--config FILE]",
      "  Checks and explains a configuration file without a running service.",
      "usage: postern config load",
      "  Prints the configuration in effect on a running site.",
      ...importUsage,
    ],
  },
  {
    name: "script",
    actions: ["test"],
    options: ["input", "package", "translations", "help"],
    help: [
      "usage: postern script test FILE --input REQUEST.json",
      "  Runs one function of a site script with recorded answers.",
    ],
  },
  {
    name: "directory",
    actions: ["test"],
    options: [...file, "protocol", "json", "no-password"],
    help: [
      "usage: postern directory test USER [--protocol NAME] [--config FILE] [--json] [--no-password]",
      "  Shows step by step what a login would do in the backends.",
    ],
  },
  {
    name: "dns",
    actions: [],
    options: [...file, "json"],
    help: ["usage: postern dns [DOMAIN…] [--config FILE] [--json]", "  Prints the DNS records of mail clients."],
  },
];

function remote(): readonly TableCommand[] {
  const { commands, options } = operatorHelp;
  return commands
    .filter(({ usage }) => !usage.startsWith("config"))
    .map(({ usage, summary, help }) => ({
      name: usage.split(" ", 1)[0] ?? "",
      actions: usage.includes("[rotate]") ? ["rotate"] : [],
      options,
      help: [`usage: postern ${usage}`, `  ${summary}`, ...help.map((line) => `  ${line}`)],
    }));
}

/** All commands: those that connect to a running site, then those that read files. */
export const commandTable: readonly TableCommand[] = [...remote(), ...local];
