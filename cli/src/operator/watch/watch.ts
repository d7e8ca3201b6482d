import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { longestWatchSeconds } from "@postern/shared/contracts";
import { parseDuration } from "@postern/shared/platform/time";
import { readDecision, readWatchDropped, readWatchEnd, readWatchSources } from "../answers.ts";
import { ApiError, UnreachableError } from "../api.ts";
import { UsageError } from "../connection.ts";
import type { CommandContext, OperatorCommand, Shown } from "../operator-command.ts";
import { painter } from "../paint.ts";
import { untilInterrupted } from "../screen.ts";
import { BrokenStreamError, readEvents, type StreamEvent } from "./event-stream.ts";
import { decisionLines, droppedLine, sourcesLine } from "./watch-lines.ts";

const firstPauseMs = 250;
const longestPauseMs = 5000;

function endOf(lasts: string | undefined): number {
  if (lasts === undefined) return Number.POSITIVE_INFINITY;
  const ms = parseDuration(lasts);
  if (ms === undefined || ms <= 0) throw new UsageError("invalid --for: use a duration such as 30s, 10m or 1h");
  return performance.now() + ms;
}

function valueOf(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new BrokenStreamError("an event is not JSON");
  }
}

/** Writes lines, and waits while nobody reads them: the server counts what it drops meanwhile. */
function createWriter({ screen, flags, progress }: CommandContext, stop: AbortSignal) {
  const { output } = screen;
  const paint = painter(output);
  const write = async (lines: readonly string[]): Promise<void> => {
    if (output.write(lines.map((line) => `${line}\n`).join(""))) return;
    await once(output, "drain", { signal: stop });
  };
  const totals = { decisions: 0, dropped: 0 };
  /** Returns the reason if the stream has ended. */
  const take = async ({ name, data }: StreamEvent): Promise<string | undefined> => {
    const value = valueOf(data);
    const style = { columns: output.isTTY === true ? output.columns || 80 : undefined, paint };
    if (name === "decision") {
      const record = readDecision(value);
      totals.decisions += 1;
      await write(flags.json ? [JSON.stringify(record)] : decisionLines(record, style));
    } else if (name === "dropped") {
      const { count } = readWatchDropped(value);
      totals.dropped += count;
      await write([flags.json ? JSON.stringify({ dropped: count }) : droppedLine(count, style)]);
    } else if (name === "sources") progress(sourcesLine(readWatchSources(value)));
    else if (name === "end") return readWatchEnd(value).reason;
    return undefined;
  };
  return { take, totals };
}

type Writer = ReturnType<typeof createWriter>;

/** Whether it may work a moment later. Credentials that are refused stay refused. */
function isPassing(error: unknown): boolean {
  return error instanceof UnreachableError || (error instanceof ApiError && error.status >= 500);
}

/** Opens a stream for at most the time that is left. */
function openStream({ api, flags }: CommandContext, stop: AbortSignal, leftSeconds: number) {
  const { account, network, outcome } = flags;
  const seconds = String(Math.min(longestWatchSeconds, Math.max(1, Math.ceil(leftSeconds))));
  const query = {
    seconds,
    ...(account !== undefined && { account }),
    ...(network !== undefined && { network }),
    ...(outcome !== undefined && { outcome }),
  };
  return api.stream("watchDecisions", { query, signal: stop });
}

/** Reads a stream to its end; returns the reason if the server ended it. */
async function readStream(stream: AsyncIterable<Uint8Array>, { take }: Writer): Promise<string | undefined> {
  for await (const event of readEvents(stream)) {
    const reason = await take(event);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Connects again until it is stopped or the time is over. @throws ApiError if the first connection fails, or the credentials are refused */
async function follow(context: CommandContext, writer: Writer, stop: AbortSignal): Promise<void> {
  const endMs = endOf(context.flags.for);
  let pauseMs = firstPauseMs;
  let hasBegun = false;
  while (!stop.aborted && performance.now() < endMs) {
    try {
      const stream = await openStream(context, stop, (endMs - performance.now()) / 1000);
      hasBegun = true;
      pauseMs = firstPauseMs;
      if ((await readStream(stream, writer)) === "time") continue;
    } catch (error) {
      if (stop.aborted) return;
      if (!hasBegun || !isPassing(error)) throw error;
    }
    context.progress("the connection ended; connecting again, decisions until then are not shown");
    await delay(pauseMs, undefined, { signal: stop }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

async function watch(context: CommandContext): Promise<Shown> {
  return untilInterrupted(context.screen, async (stop) => {
    const writer = createWriter(context, stop);
    await follow(context, writer, stop);
    const { decisions, dropped } = writer.totals;
    context.progress(`${decisions} ${decisions === 1 ? "decision" : "decisions"} shown, ${dropped} not shown`);
    return { isShown: true, lines: [], json: undefined };
  });
}

export const watchCommand: OperatorCommand = {
  usage: "watch [--account NAME] [--network ADDRESS|NETWORK] [--outcome NAME,…] [--for DURATION] [--json]",
  summary: "show sign-ins as they are decided",
  help: [
    "Shows each sign-in within a second of its decision, until Ctrl-C, or for DURATION such as 10m. All conditions apply:",
    "--account NAME, of the account or as typed; --network, an address or a network in CIDR notation; --outcome: ok, denied,",
    "blocked or undecided, or several with commas between them. What comes too fast to be shown is counted.",
    "On a terminal, lines are coloured and cut to its width. With --json, each line is an object: a record as in `postern",
    'history --json`, or {"dropped": N}. Who reports is written to standard error. Needs no decision history. Audited as',
    "decision.watch.",
  ],
  operands: { min: 0, max: 0 },
  options: ["account", "network", "outcome", "for"],
  run: watch,
};
