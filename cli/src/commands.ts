import type { Command } from "./command.ts";
import { runCompletionCommand, shells } from "./completion.ts";
import { configOptions, runConfigCommand } from "./config/run-config.ts";
import { directoryOptions, directoryUsage, runDirectoryCommand } from "./directory/directory-test.ts";
import { dnsOptions, dnsUsage, runDnsCommand } from "./dns/dns.ts";
import { doctorOptions, doctorUsage, runDoctorCommand } from "./doctor/doctor.ts";
import { exitCodeHelp } from "./exit-codes.ts";
import { importOptions, importUsage, runImportCommand } from "./import/import.ts";
import { initOptions, initUsage } from "./init/flags.ts";
import { runInitCommand } from "./init/init.ts";
import { operatorCommands } from "./operator/operator-commands.ts";
import { connectionHelp, connectionOptionNames } from "./operator/options.ts";
import { findOwnSite } from "./operator/own-site.ts";
import { runOperatorCommand } from "./operator/run-operator.ts";
import { runningDemo } from "./operator/running-demo.ts";
import { rehearseOptions, rehearseUsage, runRehearseCommand } from "./rehearse/rehearse.ts";
import { riskOptions, riskUsage, runRiskCommand } from "./risk-replay/risk-replay.ts";
import { runScriptCommand, scriptOptions, scriptUsage } from "./script-test.ts";
import { runServeCommand, serveOptions, serveUsage } from "./serve/serve.ts";

const named = (options: object): readonly string[] => Object.keys(options);

/** Runs a command that connects to a running site. */
function operate(name: string): Command["run"] {
  return (args, { environment, progress }) =>
    runOperatorCommand([name, ...args], {
      environment,
      progress,
      findOwnSite: (file) => findOwnSite(file, runningDemo()),
    });
}

const configForms = [
  ["config check [--config FILE]", "report all problems of the configuration and of the files that it names"],
  ["config dump [--config FILE]", "print the effective configuration with secrets masked"],
  ["config explain PATH [--config FILE]", "print the meaning of a key, its value and where the value comes from"],
  ["config docs", "print the configuration reference"],
  ["config schema", "print the JSON Schema of the file"],
  ["config import FILE [--output DIR]", "write a configuration from that of Nauthilus, and list what differs"],
] as const;

const fileOptionHelp = [
  "Options of commands that read the configuration:",
  "  --config FILE  configuration file (SERVICE_CONFIG_FILE), /etc/postern/config.yaml by default",
  "  --no-secrets   do not open the files of secrets, keys and certificates",
  "  --no-files     config check: open no file except the configuration",
  "  --service NAME config check: open only what this service opens; can be repeated",
  "  --strict       config check: exit with 1 on warnings too",
  "  --json         config check and explain: print JSON",
];

function siteCommands(): readonly Command[] {
  return [...operatorCommands]
    .filter(([name]) => name !== "config" && name !== "risk")
    .map(([name, { usage, summary, help, actions = [], options = [] }]) => ({
      name,
      group: "site",
      forms: [[usage, summary]],
      actions,
      options: [...options, ...connectionOptionNames],
      help: [`usage: postern ${usage}`, `  ${summary}`, ...help.map((line) => `  ${line}`)],
      run: operate(name),
    }));
}

/** Both on a log and, with `explain` and `list`, on a running site. */
function riskCommand(): Command {
  const { usage = "", summary = "", help = [], actions = [], options = [] } = operatorCommands.get("risk") ?? {};
  return {
    name: "risk",
    group: "site",
    forms: [
      [usage, summary],
      [
        "risk replay FILE [--config FILE] [--limit N] [--json]",
        "show which sign-ins of a gateway's log auth.risk of a configuration would refuse; needs no running service",
      ],
    ],
    actions: [...actions, "replay"],
    options: [...new Set([...options, ...connectionOptionNames, ...named(riskOptions)])],
    help: [`usage: postern ${usage}`, `  ${summary}`, ...help.map((line) => `  ${line}`), ...riskUsage],
    run: (args, surroundings) =>
      args[0] === "replay" ? runRiskCommand(args, surroundings) : operate("risk")(args, surroundings),
  };
}

/** Both the local configuration and, with `load`, that of a running site. */
function configCommand(): Command {
  const { usage = "", summary = "", help = [] } = operatorCommands.get("config") ?? {};
  const config: Command = {
    name: "config",
    group: "files",
    forms: [...configForms, [usage, summary]],
    actions: [...configForms, [usage]].map(([form]) => form.split(" ")[1] ?? ""),
    options: [...new Set([...named(configOptions), ...named(importOptions), ...connectionOptionNames])],
    help: [
      "usage: postern config check|dump|explain PATH|docs|schema [--config FILE] [OPTION…]",
      ...configForms.map(([form, does]) => `  ${form.split(" ").slice(1, 2).join()}: ${does}`),
      ...fileOptionHelp.slice(1),
      ...importUsage,
      `usage: postern ${usage}`,
      `  ${summary}`,
      ...help.map((line) => `  ${line}`),
    ],
    run: (args, surroundings) => {
      if (args[0] === "import") return runImportCommand(args.slice(1));
      return args[0] === "load" ? operate("config")(args, surroundings) : runConfigCommand(args, config, surroundings);
    },
  };
  return config;
}

const local: readonly Command[] = [
  {
    name: "init",
    group: "setup",
    forms: [
      [
        "init [--mail-server NAME]… [--backend URL] [--pages URL] …",
        "write the configuration of a new site with generated secrets",
      ],
    ],
    actions: [],
    options: named(initOptions),
    help: initUsage,
    run: (args, { terminal }) => runInitCommand(args, terminal),
  },
  {
    name: "serve",
    group: "setup",
    forms: [["serve [--services NAME,…] [--config FILE]", "run the services of a site in one process"]],
    actions: [],
    options: named(serveOptions),
    help: serveUsage,
    run: runServeCommand,
  },
  {
    name: "doctor",
    group: "setup",
    forms: [["doctor [--config FILE] [--strict] [--json]", "check the running site and say what to do"]],
    actions: [],
    options: named(doctorOptions),
    help: doctorUsage,
    run: runDoctorCommand,
  },
  {
    name: "completion",
    group: "setup",
    forms: [[`completion ${shells.join("|")}`, "print the completion of this command for a shell"]],
    actions: shells,
    options: ["help"],
    help: [
      `usage: postern completion ${shells.join("|")}`,
      "  Prints a program that lets the shell complete commands and options, for example for bash:",
      '  eval "$(postern completion bash)". The Debian package installs it for all three shells.',
    ],
    run: (args) => runCompletionCommand(args, commands),
  },
  configCommand(),
  {
    name: "rehearse",
    group: "files",
    forms: [
      [
        "rehearse --config NEW [--against OLD] [--since 7d] [--from history|LOG|-] [--json] [--fail-over 0.01%]",
        "show which recorded sign-ins another configuration would decide differently",
      ],
    ],
    actions: [],
    options: named(rehearseOptions),
    help: rehearseUsage,
    run: runRehearseCommand,
  },
  {
    name: "script",
    group: "files",
    forms: [["script test FILE --input REQUEST.json", "run one function of a site script with recorded answers"]],
    actions: ["test"],
    options: named(scriptOptions),
    help: scriptUsage,
    run: runScriptCommand,
  },
  {
    name: "directory",
    group: "files",
    forms: [
      [
        "directory test USER [--protocol NAME] [--config FILE] [--json] [--no-password]",
        "show step by step what a login would do in the backends",
      ],
    ],
    actions: ["test"],
    options: named(directoryOptions),
    help: directoryUsage,
    run: (args, { terminal }) => runDirectoryCommand(args, terminal),
  },
  {
    name: "dns",
    group: "files",
    forms: [
      ["dns [DOMAIN…] [--config FILE] [--json]", "print the DNS records by which mail clients find their settings"],
    ],
    actions: [],
    options: named(dnsOptions),
    help: dnsUsage,
    run: runDnsCommand,
  },
];

/** All commands, in the order of the overview. Help, the manual page and completion are made from this table. */
export const commands: readonly Command[] = [...siteCommands(), riskCommand(), ...local];

function formsOf(group: Command["group"]): readonly string[] {
  return commands
    .filter((command) => command.group === group)
    .flatMap(({ forms }) => forms.flatMap(([usage, summary]) => [`  ${usage}`, `      ${summary}`]));
}

/** What `postern --help` prints. */
export function overview(): readonly string[] {
  return [
    "usage: postern COMMAND (postern COMMAND --help shows details)",
    "",
    "Commands that connect to a running site:",
    ...formsOf("site"),
    "",
    "Commands for setting up and checking a site:",
    ...formsOf("setup"),
    "",
    "Commands that read the configuration and need no running service:",
    ...formsOf("files"),
    "",
    ...connectionHelp.slice(0, connectionHelp.length - exitCodeHelp.length),
    "",
    ...fileOptionHelp,
    "",
    ...exitCodeHelp,
  ];
}
