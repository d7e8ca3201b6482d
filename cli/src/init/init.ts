import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Config, formatProblem, loadConfig, processSources } from "@postern/shared/platform/config";
import { type CommandResult, isWrongArgument } from "../command.ts";
import type { Terminal } from "../read-password.ts";
import type { SiteAnswers } from "./answers.ts";
import { createAsk } from "./ask.ts";
import { type InitFlags, initOptions, initUsage } from "./flags.ts";
import { InitProblem } from "./init-problem.ts";
import { readAnswers } from "./read-answers.ts";
import { operatorName } from "./read-mail-servers.ts";
import { callerSecret, type SiteConfiguration, siteConfiguration } from "./site-configuration.ts";
import { AlreadyThere, groupId, writeSite } from "./write-site.ts";

const failed = (exitCode: 1 | 2, ...errors: readonly string[]): CommandResult => ({ exitCode, output: [], errors });

/** The configuration as `config check` would load it; secrets come from memory, because nothing is written yet. */
function checked({ text, secrets }: SiteConfiguration): Config {
  const byName = (path: string): string => secrets.get(path.split("/").at(-1) ?? "") ?? processSources().readFile(path);
  const loaded = loadConfig({ text, env: {}, readFile: byName });
  const found = loaded.ok ? loaded.warnings : [...loaded.problems, ...loaded.warnings];
  if (!loaded.ok || found.length > 0)
    throw new InitProblem(
      ["these answers give a configuration with problems:", ...found.map(formatProblem)].join("\n"),
    );
  return loaded.config;
}

/** Opens and compiles what the services would. */
async function openFiles(config: Config): Promise<void> {
  const { checkServices } = await import("../config/preflights.ts");
  const { problems, warnings } = await checkServices(config, { skipSecrets: false });
  const found = [...problems, ...warnings];
  if (found.length > 0)
    throw new InitProblem(["the services could not use these answers:", ...found.map(formatProblem)].join("\n"));
}

function nextSteps(answers: SiteAnswers, folder: string): readonly string[] {
  const config = join(folder, "config.yaml");
  const steps = [
    ...(answers.ownNats
      ? [
          `install -o root -g nats -m 0640 ${join(folder, "nats-server.conf")} /etc/nats-server.conf && systemctl restart nats-server`,
        ]
      : []),
    `systemctl enable --now ${answers.isOneProcess ? "postern.service" : "postern.target"}`,
    `postern doctor --config ${config}`,
    `postern directory test USER --config ${config}`,
    folder === "/etc/postern" ? "postern status" : `postern status --config ${config}`,
  ];
  return [
    "",
    "Next:",
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
    `  ${steps.length + 1}. Connect each mail server: URL http://127.0.0.1:9080, user name and password as above`,
    ...(answers.pagesUrl === undefined
      ? []
      : [`  ${steps.length + 2}. Let the reverse proxy of ${answers.pagesUrl} pass requests to http://127.0.0.1:9081`]),
  ];
}

/** Where each caller's password is, or the password itself if the operator asked for it. */
function callerLine(name: string, site: SiteConfiguration, flags: InitFlags): string {
  const file = join(flags.dir, "secrets", callerSecret(name));
  return `  ${name}, password ${flags["show-secrets"] ? site.secrets.get(callerSecret(name)) : `in ${file}`}`;
}

function written(answers: SiteAnswers, site: SiteConfiguration, flags: InitFlags): CommandResult {
  const output = [
    `wrote ${join(flags.dir, "config.yaml")} and ${site.secrets.size} secrets in ${join(flags.dir, "secrets")}`,
    "user names of mail servers:",
    ...answers.mailServers.map(({ name }) => callerLine(name, site, flags)),
    "user name for postern on this machine:",
    callerLine(operatorName, site, flags),
  ];
  return { exitCode: 0, output: [...output, ...nextSteps(answers, flags.dir)], errors: [] };
}

async function initSite(flags: InitFlags, terminal: Terminal): Promise<CommandResult> {
  await using ask = createAsk(terminal);
  const answers = await readAnswers(flags, ask);
  const site = siteConfiguration(answers, flags.dir);
  const config = checked(site);
  await writeSite(site, { folder: flags.dir, group: groupId(flags.group), verify: () => openFiles(config) });
  return written(answers, site, flags);
}

function reasonOf(error: unknown): CommandResult {
  if (error instanceof AlreadyThere)
    return failed(
      1,
      `${error.message} exists and is not overwritten; move it away, or choose another folder with --dir`,
    );
  if (error instanceof InitProblem) return failed(1, ...error.message.split("\n"));
  if (isWrongArgument(error)) return failed(2, error.message, ...initUsage);
  if (error instanceof Error && "syscall" in error) return failed(1, `nothing was written: ${error.message}`);
  throw error;
}

/** `postern init`: the configuration of a new site. */
export async function runInitCommand(args: readonly string[], terminal: Terminal): Promise<CommandResult> {
  try {
    const { values } = parseArgs({ args: [...args], options: initOptions });
    if (values.help) return { exitCode: 0, output: initUsage, errors: [] };
    return await initSite(values, terminal);
  } catch (error) {
    return reasonOf(error);
  }
}
