import { parseArgs } from "node:util";
import { type Config, formatProblem } from "@postern/shared/platform/config";
import { LookUps } from "../../../services/auth-engine/src/rehearsal/look-ups.ts";
import { fromHistory, fromLog } from "../../../services/auth-engine/src/rehearsal/record-source.ts";
import { Rehearsal } from "../../../services/auth-engine/src/rehearsal/rehearsal.ts";
import { type CommandResult, isWrongArgument, loadForCommand, type Surroundings } from "../command.ts";
import { ApiError, createApi } from "../operator/api.ts";
import { connectionOf, UsageError } from "../operator/connection.ts";
import { findOwnSite } from "../operator/own-site.ts";
import { runningDemo } from "../operator/running-demo.ts";
import { createProgress } from "../progress.ts";
import { interruptible } from "./interrupt.ts";
import { asksOtherBackends, openBackends } from "./new-backends.ts";
import { readHistory } from "./read-history.ts";
import { readLog } from "./read-log.ts";
import { rememberRehearsal } from "./rehearsed.ts";
import { percentOf, readable } from "./report.ts";

export const rehearseUsage: readonly string[] = [
  "usage: postern rehearse --config NEW [--against OLD] [--since 7d] [--from history|LOG|-] [--json] [--fail-over 0.01%]",
  "  Decides recorded sign-ins again, by the rules of two configurations, and shows which are decided differently. The controls for",
  "  TLS and relay domains, and policies, apply. From a log, brute-force protection counts too, in the order of the log's times.",
  "  What the backends answered is taken as recorded. If NEW asks other backends, accounts with a success are looked up there,",
  "  without a password. Nothing is changed.",
  "  --config NEW      configuration file to try",
  "  --against OLD     configuration in use; that of this machine by default (SERVICE_CONFIG_FILE, /etc/postern/config.yaml)",
  "  --from history    the decision history of the running site, the default; needs an API caller with the scope admin",
  "  --from LOG        log of a gateway, JSON lines in the order of their times; .gz is unpacked; - is standard input",
  "  --since TIME      only sign-ins of the last time, such as 12h or 7d; all by default",
  "  --fail-over SHARE exit with 1 if more than this share of the sign-ins changes between admitted and not admitted, or is unknown",
  "  --no-look-ups     connect to no backend",
  "  --look-up-rate N  look up at most N accounts a second, 100 by default",
  "  --json            print JSON, with all groups",
  "  --url, --user, --password-file, --token-file, --timeout: as for commands that connect to a running site",
  "  Ctrl-C ends it and prints the result so far, marked as incomplete.",
  "exit codes: 0 done, 1 over the share, interrupted, or nothing can be read, 2 wrong command line, 3 the site cannot be reached",
];

export const rehearseOptions = {
  config: { type: "string" },
  against: { type: "string" },
  from: { type: "string", default: "history" },
  since: { type: "string" },
  "fail-over": { type: "string" },
  "no-look-ups": { type: "boolean", default: false },
  "look-up-rate": { type: "string", default: "100" },
  url: { type: "string" },
  user: { type: "string" },
  "password-file": { type: "string" },
  "token-file": { type: "string" },
  timeout: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

const failed = (...errors: readonly string[]): CommandResult => ({ exitCode: 1, output: [], errors });
const misused = (...errors: readonly string[]): CommandResult => ({ exitCode: 2, output: [], errors });

/** A change counts as rehearsed if no larger share of the sign-ins is of accounts that could not be looked up. */
const mostUnlooked = 0.01;

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

interface Wanted {
  readonly mostShare: number | undefined;
  readonly isJson: boolean;
}

function resultOf(rehearsal: Rehearsal, isComplete: boolean, { mostShare, isJson }: Wanted): CommandResult {
  const report = rehearsal.report(isComplete);
  if (report.sign_ins === 0) {
    const { name } = rehearsal.source;
    const unreadable = `${report.unreadable} ${name === "log" ? "lines" : "records"} cannot be read`;
    const what = name === "log" ? "decision of a gateway" : "sign-in";
    return failed(`the ${name} contains no ${what} in this time${report.unreadable === 0 ? "" : ` (${unreadable})`}`);
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

type Values = ReturnType<typeof parseArgs<{ options: typeof rehearseOptions }>>["values"];

interface Rehearsing {
  readonly values: Values;
  readonly sinceMs: number;
  readonly perSecond: number;
  readonly surroundings: Surroundings;
  readonly configs: Configs;
}

interface Configs {
  readonly before: Config;
  readonly after: Config;
}

/** Reads what was recorded into the rehearsal; false if the user ended it. */
async function read(rehearsal: Rehearsal, { values, sinceMs, surroundings }: Rehearsing, signal: AbortSignal) {
  const { terminal, environment } = surroundings;
  if (rehearsal.source === fromLog) return readLog(rehearsal, { from: values.from, sinceMs, terminal, signal });
  const api = createApi(
    connectionOf({ ...values, config: values.against }, environment, (file) => findOwnSite(file, runningDemo())),
  );
  return readHistory(rehearsal, { api, sinceMs, terminal, signal });
}

/** Looks up the accounts that signed in; false if the user ended it. */
async function lookUpAll(
  lookUps: LookUps,
  { comparison }: Rehearsal,
  { perSecond, surroundings, values }: Rehearsing,
  signal: AbortSignal,
): Promise<boolean> {
  // The rehearsal itself needs no secrets, and so its configuration has none.
  const loaded = loadForCommand({ file: values.config, skipSecretFiles: false });
  if (!loaded.ok) throw new BackendsError(loaded.problems.map(formatProblem).join("; "));
  const { lookUp, close } = await openBackends(loaded.config).catch((error: unknown) => {
    throw new BackendsError(error instanceof Error ? error.message : String(error));
  });
  const progress = createProgress(surroundings.terminal.output);
  const onProgress = (done: number, all: number): void => progress.show(`${done} accounts looked up`, done / all);
  try {
    return await lookUps.run(comparison, { lookUp, perSecond, signal, onProgress });
  } finally {
    progress.end();
    await close();
  }
}

/** The backends of the changed configuration cannot be opened. */
class BackendsError extends Error {
  constructor(reason: string) {
    super(`the backends of --config cannot be opened (without them: --no-look-ups): ${reason}`);
  }
}

function failureOf(error: unknown, source: string): CommandResult {
  if (error instanceof UsageError) return misused(error.message);
  if (error instanceof BackendsError) return failed(error.message);
  if (error instanceof ApiError) return { ...failed(error.message), exitCode: error.status === 0 ? 3 : 1 };
  return failed(`the ${source} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
}

async function rehearse(rehearsing: Rehearsing, wanted: Wanted): Promise<CommandResult> {
  const { values, configs, surroundings } = rehearsing;
  const { before, after } = configs;
  const asksOthers = asksOtherBackends(before, after);
  const lookUps = asksOthers && !values["no-look-ups"] ? new LookUps() : undefined;
  const source = values.from === "history" ? fromHistory : fromLog;
  const rehearsal = new Rehearsal(before, after, source, lookUps);
  using interrupt = interruptible();
  const { signal } = interrupt;
  let isComplete = false;
  try {
    isComplete = await read(rehearsal, rehearsing, signal);
    if (lookUps !== undefined && isComplete) isComplete = await lookUpAll(lookUps, rehearsal, rehearsing, signal);
  } catch (error) {
    return failureOf(error, source.name);
  }
  const isLookedUp = !asksOthers || rehearsal.unlookedShare <= mostUnlooked;
  const isWhole = isComplete && !rehearsal.isUnjudged && isLookedUp;
  if (isWhole && rehearsal.comparison.signIns > 0) rememberRehearsal(before, after, surroundings.environment);
  return resultOf(rehearsal, isComplete, wanted);
}

function configsOf({ against, config }: Values): Configs | CommandResult {
  const before = loadForCommand({ file: against, skipSecretFiles: true });
  const after = loadForCommand({ file: config, skipSecretFiles: true });
  if (!before.ok) return failed("problems of the configuration of --against:", ...before.problems.map(formatProblem));
  if (!after.ok) return failed("problems of the configuration of --config:", ...after.problems.map(formatProblem));
  return { before: before.config, after: after.config };
}

async function runWith(values: Values, surroundings: Surroundings): Promise<CommandResult> {
  const { since, "fail-over": failOver } = values;
  const lastMs = since === undefined ? Number.POSITIVE_INFINITY : durationOf(since);
  const mostShare = failOver === undefined ? undefined : shareOf(failOver);
  const perSecond = Number(values["look-up-rate"]);
  if (lastMs === undefined) return misused("invalid --since", ...rehearseUsage);
  if (failOver !== undefined && mostShare === undefined) return misused("invalid --fail-over", ...rehearseUsage);
  if (!(perSecond >= 1 && perSecond <= 10_000)) return misused("invalid --look-up-rate: use 1 to 10000");
  const configs = configsOf(values);
  if ("exitCode" in configs) return configs;
  const sinceMs = Math.max(0, Date.now() - lastMs);
  return rehearse({ values, configs, sinceMs, perSecond, surroundings }, { mostShare, isJson: values.json });
}

/** `postern rehearse`: which recorded sign-ins another configuration would decide differently. */
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
