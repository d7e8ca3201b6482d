import type { Command } from "../../cli/src/command.ts";
import { commands } from "../../cli/src/commands.ts";
import { exitCodes } from "../../cli/src/exit-codes.ts";
import { connectionHelp } from "../../cli/src/operator/options.ts";

/** Text of a page in roff: a line may not begin with a control character, and hyphens are those that a user types. */
export function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("…", "...")
    .replaceAll(/^([.'])/gmu, "\\&$1");
}

function section({ help }: Command): readonly string[] {
  const [usage = "", ...lines] = help;
  return [`.SS "${roff(usage.replace(/^usage: /u, "")).replaceAll('"', "")}"`, ".nf", ...lines.map(roff), ".fi"];
}

/** The manual page postern(1). */
export function manualPage(version: string): string {
  return [
    `.TH POSTERN 1 "" "postern ${version}" "Postern"`,
    ".SH NAME",
    "postern \\- set up, check and operate an authentication gateway and identity provider",
    ".SH SYNOPSIS",
    ".B postern",
    "COMMAND [OPTION...]",
    ".SH DESCRIPTION",
    "Commands for a running site use its HTTP interface. The others read the configuration and need no running service.",
    ".SH COMMANDS",
    ...commands.flatMap(section),
    ".SH OPTIONS",
    ".nf",
    ...connectionHelp.filter((line) => line.startsWith("  --")).map(roff),
    ".fi",
    ".SH EXIT STATUS",
    ...exitCodes.flatMap(([code, meaning]) => [".TP", String(code), roff(meaning)]),
    ".SH ENVIRONMENT",
    ".TP",
    "POSTERN_URL, POSTERN_USER, POSTERN_PASSWORD, POSTERN_TOKEN",
    "URL and credentials of commands that connect to a running site.",
    ".TP",
    "SERVICE_CONFIG_FILE",
    "Configuration file, in place of \\-\\-config.",
    ".SH FILES",
    ".TP",
    "/etc/postern/config.yaml, /etc/postern/secrets",
    "Configuration and secrets, as postern init writes them.",
    ".SH SEE ALSO",
    ".BR systemctl (1),",
    ".BR journalctl (1)",
    "",
  ].join("\n");
}
