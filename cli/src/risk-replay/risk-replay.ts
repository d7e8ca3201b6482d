import { open } from "node:fs/promises";
import type { Writable } from "node:stream";
import { parseArgs } from "node:util";
import { riskSettings } from "@postern/shared/domain/risk";
import { formatProblem } from "@postern/shared/platform/config";
import { type CommandResult, isWrongArgument, loadForCommand, type Surroundings } from "../command.ts";
import { createProgress } from "../progress.ts";
import { printable, table } from "../table.ts";
import { logLines } from "./log-lines.ts";
import { readDecision } from "./read-decision.ts";
import { createReplay, type Replay, type ReplayReport } from "./replay.ts";

export const riskUsage: readonly string[] = [
  "usage: postern risk replay FILE [--config FILE] [--limit N] [--json]",
  "  Evaluates the sign-ins of a gateway's log with auth.risk of a configuration, as if its mode were enforce, and prints",
  "  how often each signal and response would apply, and the sign-ins that would be refused. No service needs to run.",
  "  FILE           log of a gateway, JSON lines; lines other than decisions are skipped",
  "  --config FILE  configuration file (SERVICE_CONFIG_FILE)",
  "  --limit N      refused sign-ins to print, 20 by default, at most 10000",
  "  --json         print JSON",
  "  Ctrl-C ends the reading and prints the result so far.",
  "exit codes: 0 no sign-in would be refused, 1 one would, interrupted, or nothing can be read, 2 wrong command line",
];

export const riskOptions = {
  config: { type: "string" },
  limit: { type: "string", default: "20" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

const mostRefused = 10_000;

type Values = ReturnType<typeof parseArgs<{ options: typeof riskOptions }>>["values"];

const failed = (...errors: readonly string[]): CommandResult => ({ exitCode: 1, output: [], errors });
const misused = (...errors: readonly string[]): CommandResult => ({ exitCode: 2, output: [], errors });

function refusedLines({ refused, refused_sign_ins: shown }: ReplayReport): readonly string[] {
  if (shown.length === 0) return [];
  const rows = shown.map(({ time, client_ip: from, protocol, username, score, refusal, signals }) => [
    time,
    from || "-",
    protocol,
    username,
    String(score),
    refusal,
    signals.join(" ") || "-",
  ]);
  const more = refused > shown.length ? ["", "there are more: use a larger --limit"] : [];
  return ["", ...table(["TIME", "FROM", "BY", "NAME", "SCORE", "REFUSED BY", "SIGNALS"], rows), ...more];
}

const numbers = (one: { readonly sign_ins: number; readonly accounts: number }) => [
  String(one.sign_ins),
  String(one.accounts),
];

function readable(report: ReplayReport): readonly string[] {
  const {
    decisions,
    scored,
    suspicious,
    dangerous,
    refused,
    refused_before: before,
    unreadable,
    unknown_signals: unknown,
  } = report;
  return [
    `${decisions} decisions, ${scored} of them with signals: ${suspicious} suspicious, ${dangerous} dangerous`,
    `${refused} would be refused; ${before} were refused when the log was written`,
    ...(unreadable === 0 ? [] : [`${unreadable} lines could not be read`]),
    ...(unknown.length === 0 ? [] : [printable(`signals of another version, counted as none: ${unknown.join(" ")}`)]),
    "",
    ...table(
      ["SIGNAL", "WEIGHT", "SIGN-INS", "NAMES"],
      report.signals.map((one) => [one.signal, String(one.weight), ...numbers(one)]),
    ),
    "",
    ...table(
      ["RESPONSE", "SIGN-INS", "NAMES"],
      report.responses.map((one) => [one.response, ...numbers(one)]),
    ),
    ...refusedLines(report),
  ];
}

/** False if an interruption ended the reading. @param terminal where progress is shown */
async function readLog(log: string, replay: Replay, terminal: Writable): Promise<boolean> {
  await using file = await open(log);
  const { size } = await file.stat();
  const chunks = file.createReadStream();
  const progress = createProgress(terminal);
  let [isStopped, decisions] = [false, 0];
  const stop = (): void => {
    isStopped = true;
  };
  process.once("SIGINT", stop);
  try {
    for await (const line of logLines(chunks)) {
      const decision = line === null ? "unreadable" : readDecision(line);
      if (decision === "unreadable") replay.skip();
      else if (decision !== undefined) {
        replay.add(decision);
        decisions += 1;
        progress.show(`${decisions} sign-ins`, size === 0 ? undefined : chunks.bytesRead / size);
      }
      if (isStopped) break;
    }
  } finally {
    process.off("SIGINT", stop);
    progress.end();
  }
  return !isStopped;
}

async function replayLog(
  log: string,
  mostShown: number,
  { values, terminal }: { readonly values: Values; readonly terminal: Writable },
): Promise<CommandResult> {
  const loaded = loadForCommand({ file: values.config, skipSecretFiles: true });
  if (!loaded.ok) return failed("configuration problems:", ...loaded.problems.map(formatProblem));
  const replay = createReplay(riskSettings(loaded.config.auth.risk), mostShown);
  let isWhole: boolean;
  try {
    isWhole = await readLog(log, replay, terminal);
  } catch (error) {
    return failed(`the log cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const report = replay.report();
  if (report.decisions === 0) {
    const { unreadable } = report;
    return failed(
      `the file contains no decision of a gateway${unreadable === 0 ? "" : ` that can be read (${unreadable} lines)`}`,
    );
  }
  const output = values.json ? [JSON.stringify(report, undefined, 2)] : readable(report);
  const errors = isWhole ? [] : ["interrupted: the log was not read to its end"];
  return { exitCode: report.refused > 0 || !isWhole ? 1 : 0, output, errors };
}

/** `postern risk replay FILE`: what the responses would have done, before they are enforced. */
export async function runRiskCommand(
  args: readonly string[],
  { terminal }: Pick<Surroundings, "terminal">,
): Promise<CommandResult> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: riskOptions, allowPositionals: true });
    if (values.help) return { exitCode: 0, output: riskUsage, errors: [] };
    const [command, log, ...rest] = positionals;
    if (command !== "replay" || log === undefined || rest.length > 0) return misused(...riskUsage);
    const mostShown = Number(values.limit);
    if (!Number.isInteger(mostShown) || mostShown < 0 || mostShown > mostRefused)
      return misused("invalid --limit", ...riskUsage);
    return await replayLog(log, mostShown, { values, terminal: terminal.output });
  } catch (error) {
    if (!isWrongArgument(error)) throw error;
    return misused(error.message, ...riskUsage);
  }
}
