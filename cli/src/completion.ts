import type { Command, CommandResult } from "./command.ts";

type Table = readonly Command[];

export const shells = ["bash", "zsh", "fish"] as const;

const namesOf = (commands: Table): string => commands.map(({ name }) => name).join(" ");
const wordsAfter = (actions: readonly string[], options: readonly string[]): string =>
  [...actions, ...options.map((option) => `--${option}`)].join(" ");

/** Files after these options. */
const fileOptions = "--config|--*-file|--*-ca|--input|--dir";

function bashCompletion(commands: Table): string {
  return [
    "_postern() {",
    "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}",
    "  COMPREPLY=()",
    `  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${namesOf(commands)} --help" -- "$word")); return; fi`,
    `  case $before in ${fileOptions}) COMPREPLY=($(compgen -f -- "$word")); return ;; esac`,
    "  case ${COMP_WORDS[1]} in",
    ...commands.map(
      ({ name, actions, options }) =>
        `    ${name}) COMPREPLY=($(compgen -W "${wordsAfter(actions, options)}" -- "$word")) ;;`,
    ),
    "  esac",
    "}",
    "complete -o default -F _postern postern",
    "",
  ].join("\n");
}

function zshCompletion(commands: Table): string {
  return [
    "#compdef postern",
    `if (( CURRENT == 2 )); then compadd -- ${namesOf(commands)} --help; return; fi`,
    `case $words[CURRENT-1] in ${fileOptions}) _files; return ;; esac`,
    "case $words[2] in",
    ...commands.map(({ name, actions, options }) => `  ${name}) compadd -- ${wordsAfter(actions, options)} ;;`),
    "esac",
    "",
  ].join("\n");
}

const after = (name: string): string => `-n "__fish_seen_subcommand_from ${name}"`;

function fishCompletion(commands: Table): string {
  return [
    `complete -c postern -n __fish_use_subcommand -f -a "${namesOf(commands)}"`,
    ...commands.flatMap(({ name, actions, options }) => [
      ...(actions.length > 0 ? [`complete -c postern ${after(name)} -f -a "${actions.join(" ")}"`] : []),
      ...options.map((option) => `complete -c postern ${after(name)} -l ${option}`),
    ]),
    "",
  ].join("\n");
}

const programs = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

export type Shell = keyof typeof programs;

/** The program that completes `postern` in a shell. */
export function completionFor(shell: Shell, commands: Table): string {
  return programs[shell](commands);
}

/** `postern completion SHELL` */
export function runCompletionCommand([name, ...rest]: readonly string[], commands: Table): CommandResult {
  const help = commands.find((command) => command.name === "completion")?.help ?? [];
  if (name === "--help" || name === "-h") return { exitCode: 0, output: help, errors: [] };
  const shell = shells.find((one) => one === name);
  if (shell === undefined || rest.length > 0) return { exitCode: 2, output: [], errors: help };
  return { exitCode: 0, output: [completionFor(shell, commands).trimEnd()], errors: [] };
}
