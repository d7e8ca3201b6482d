import { parseArgs } from "node:util";
import { type Config, formatProblem } from "@postern/shared/platform/config";
import { type CommandResult, isWrongArgument, loadForCommand, type Surroundings } from "../command.ts";
import { createProgress } from "../risk-replay/progress.ts";
import { createCollector } from "./collector.ts";
import { openLog, wholeLines } from "./log-text.ts";
import { Rehearsal } from "./rehearsal.ts";
import { rememberRehearsal } from "./rehearsed.ts";
import { percentOf, readable } from "./report.ts";
import { isDialect, readSignIn } from "./sign-in.ts";
import { decidedEnd, UsualSuccess, usualStart } from "./usual-success.ts";

export const rehearseUsage: readonly string[] = [
  "usage: postern rehearse --config NEW [--against OLD] [--since 7d] [--from LOG|-] [--json] [--fail-over 0.01%]",
  "  Decides the sign-ins of a gateway's log again, by the rules of two configurations, and shows which are decided",
  "  differently. Brute-force protection counts in the order of the log's times; the controls for TLS and relay domains,",
  "  and policies, apply. What the backends answered is taken from the log. Nothing is connected to and nothing is changed.",
  "  --config NEW      configuration file to try",
  "  --against OLD     configuration in use; that of this machine by default (SERVICE_CONFIG_FILE, /etc/postern/config.yaml)",
  "  --from LOG        log of a gateway, JSON lines in the order of their times; .gz is unpacked; - is standard input",
  "  --since TIME      only sign-ins of the last time, such as 12h or 7d; all by default",
  "  --fail-over SHARE exit with 1 if more than this share of the sign-ins changes between admitted and not admitted, or is unknown",
  "  --json            print JSON, with all groups",
  "  Ctrl-C ends the reading and prints the result so far, marked as incomplete.",
  "exit codes: 0 done, 1 over the share, interrupted, or nothing can be read, 2 wrong command line",
];

export const rehearseOptions = {
  config: { type: "string" },
  against: { type: "string" },
  from: { type: "string", default: "-" },
  since: { type: "string" },
  "fail-over": { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

const failed = (...errors: readonly string[]): CommandResult => ({ exitCode: 1, output: [], errors });
const misused = (...errors: readonly string[]): CommandResult => ({ exitCode: 2, output: [], errors });

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Undefined if the text is no duration. */
function durationOf(text: string): number | undefined {
  const [, number, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * (units[unit] ?? 0);
}

/** Undefined if the text is no percentage. */
function shareOf(text: string): number | undefined {
  const [, number] = /^(\d{1,3}(?:\.\d{1,9})?)%$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) / 100;
}

interface Reading {
  readonly from: string;
  readonly sinceMs: number;
  readonly surroundings: Surroundings;
}

const timeLength = 24;

async function readLines(rehearsal: Rehearsal, usual: UsualSuccess, text: string, sinceMs: number): Promise<void> {
  const since = new Date(sinceMs).toISOString();
  const timeAt = usualStart.length;
  usual.begin(text);
  for (let start = 0, end = text.indexOf("\n"); end >= 0; start = end + 1, end = text.indexOf("\n", start)) {
    if (!text.startsWith(decidedEnd, end - decidedEnd.length)) continue;
    // A line that is too early is cheaper to recognise than to parse.
    const isUsual = sinceMs > 0 && text.startsWith(usualStart, start);
    if (isUsual && text.slice(start + timeAt, start + timeAt + timeLength) < since) continue;
    if (usual.read(start, end) && usual.timeMs >= sinceMs && rehearsal.addIfQuiet(usual)) continue;
    const signIn = readSignIn(text.slice(start, end));
    if (signIn === undefined) rehearsal.unreadable += 1;
    else if (signIn.timeMs >= sinceMs) await rehearsal.add(signIn);
  }
}

/** Reads the log into the rehearsal; false if the user ended it. */
async function readLog(rehearsal: Rehearsal, { from, sinceMs, surroundings }: Reading): Promise<boolean> {
  const { terminal } = surroundings;
  const source = await openLog(from, terminal.input);
  const progress = createProgress(source, terminal.output);
  const collect = createCollector();
  const usual = new UsualSuccess(isDialect);
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    // Otherwise the next part of standard input would be awaited.
    if (from === "-") terminal.input.destroy();
  };
  process.once("SIGINT", stop);
  try {
    for await (const text of wholeLines(source.chunks, () => (rehearsal.unreadable += 1))) {
      await readLines(rehearsal, usual, text, sinceMs);
      progress.show(rehearsal.comparison.signIns);
      collect();
      if (isStopped) break;
    }
  } catch (error) {
    if (!isStopped) throw error;
  } finally {
    process.off("SIGINT", stop);
    progress.end();
  }
  return !isStopped;
}

interface Wanted {
  readonly mostShare: number | undefined;
  readonly isJson: boolean;
}

function resultOf(rehearsal: Rehearsal, isComplete: boolean, { mostShare, isJson }: Wanted): CommandResult {
  const report = rehearsal.report(isComplete);
  if (report.sign_ins === 0) {
    const lines = report.unreadable === 0 ? "" : ` (${report.unreadable} lines cannot be read)`;
    return failed(`the log contains no decision of a gateway in this time${lines}`);
  }
  const faults =
    mostShare === undefined
      ? []
      : [
          ...(report.share > mostShare ? [`${percentOf(report.share)} is`] : []),
          // What is unknown may be different.
          ...(rehearsal.unknownShare > mostShare
            ? [`${percentOf(rehearsal.unknownShare)} could not be evaluated, which is`]
            : []),
        ].map((fault) => `${fault} more than --fail-over ${percentOf(mostShare)}`);
  return {
    exitCode: faults.length > 0 || !isComplete ? 1 : 0,
    output: isJson ? [JSON.stringify(report, undefined, 2)] : readable(report),
    errors: faults,
  };
}

async function rehearse(
  [before, after]: readonly [before: Config, after: Config],
  reading: Reading,
  wanted: Wanted,
): Promise<CommandResult> {
  const rehearsal = new Rehearsal(before, after);
  try {
    const isComplete = await readLog(rehearsal, reading);
    if (isComplete && rehearsal.comparison.signIns > 0)
      rememberRehearsal(before, after, reading.surroundings.environment);
    return resultOf(rehearsal, isComplete, wanted);
  } catch (error) {
    return failed(`the log cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

type Values = ReturnType<typeof parseArgs<{ options: typeof rehearseOptions }>>["values"];

function configsOf({ against, config }: Values): readonly [before: Config, after: Config] | CommandResult {
  const before = loadForCommand({ file: against, skipSecretFiles: true });
  const after = loadForCommand({ file: config, skipSecretFiles: true });
  if (!before.ok) return failed("problems of the configuration of --against:", ...before.problems.map(formatProblem));
  if (!after.ok) return failed("problems of the configuration of --config:", ...after.problems.map(formatProblem));
  return [before.config, after.config];
}

async function runWith(values: Values, surroundings: Surroundings): Promise<CommandResult> {
  const { since, "fail-over": failOver } = values;
  const lastMs = since === undefined ? Number.POSITIVE_INFINITY : durationOf(since);
  const mostShare = failOver === undefined ? undefined : shareOf(failOver);
  if (lastMs === undefined) return misused("invalid --since", ...rehearseUsage);
  if (failOver !== undefined && mostShare === undefined) return misused("invalid --fail-over", ...rehearseUsage);
  const configs = configsOf(values);
  if ("exitCode" in configs) return configs;
  const sinceMs = Math.max(0, Date.now() - lastMs);
  return rehearse(configs, { from: values.from, sinceMs, surroundings }, { mostShare, isJson: values.json });
}

/** `postern rehearse`: which sign-ins of a log another configuration would decide differently. */
export async function runRehearseCommand(args: readonly string[], surroundings: Surroundings): Promise<CommandResult> {
  try {
    const { values } = parseArgs({ args: [...args], options: rehearseOptions });
    if (values.help) return { exitCode: 0, output: rehearseUsage, errors: [] };
    if (values.config === undefined) return misused("--config is missing", ...rehearseUsage);
    return await runWith(values, surroundings);
  } catch (error) {
    if (!isWrongArgument(error)) throw error;
    return misused(error.message, ...rehearseUsage);
  }
}
