import { setTimeout as delay } from "node:timers/promises";
import { printable } from "../../table.ts";
import { readExplanation } from "../answers.ts";
import { type Api, ApiError } from "../api.ts";
import type { CommandContext, OperatorCommand, Shown } from "../operator-command.ts";
import { cut, type Paint, painter } from "../paint.ts";
import { untilInterrupted } from "../screen.ts";
import { explanationLines } from "../why.ts";
import { openFullScreen } from "./full-screen.ts";
import { readTop, type TopData } from "./read-top.ts";
import { topLines } from "./top-lines.ts";
import { accountsBy, firstState, networksBy, pressed, selectedIn, type TopState } from "./top-state.ts";

const refreshMs = 2000;
/** Of output that is no terminal. */
const usualColumns = 100;
const mostListed = 20;
/** Rows of everything but the lists. */
const otherRows = 30;
/** Of a terminal that reports less, lines are cut. */
const narrowest = 8;
/** Refusals count against the address, also for other callers there. */
const refusals: ReadonlySet<number> = new Set([401, 403, 429]);

async function showOnce({ api, screen }: CommandContext): Promise<Shown> {
  const data = await readTop(api);
  const columns = screen.output.columns || usualColumns;
  const frame = {
    columns,
    listed: mostListed,
    sort: "sources",
    selected: undefined,
    paint: painter(screen.output),
  } as const;
  return { exitCode: data.system?.state === "up" ? 0 : 1, lines: topLines(data, frame), json: data };
}

/** A line, broken at spaces. */
function wrapped(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  const width = Math.max(narrowest, columns);
  let rest = line;
  while (rest.length > width) {
    const at = rest.lastIndexOf(" ", width);
    const end = at > width / 2 ? at : width;
    lines.push(rest.slice(0, end));
    rest = `  ${rest.slice(end).trimStart()}`;
  }
  return [...lines, rest];
}

/** What `postern why` says. */
async function verdictOf(api: Api, subject: string, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return explanationLines(readExplanation(await api.ask("explain", { query: { query: subject }, signal })));
  } catch (error) {
    if (error instanceof ApiError) return [printable(error.message)];
    throw error;
  }
}

/** The last answer, and since when it is that. */
interface Shot {
  readonly data: TopData;
  readonly time: string;
  readonly failure: string | undefined;
}

interface View extends Shot {
  readonly state: TopState;
  /** Undefined until it has arrived. */
  readonly verdict: readonly string[] | undefined;
  readonly columns: number;
  readonly rows: number;
  readonly paint: Paint;
}

const rowsOf = (data: TopData, { sort }: TopState, listed: number): readonly string[] =>
  data.attacks === undefined
    ? []
    : [
        ...accountsBy(data.attacks, sort)
          .slice(0, listed)
          .map(({ account }) => account),
        ...networksBy(data.attacks, sort)
          .slice(0, listed)
          .map(({ network }) => network),
      ];

const listedIn = (rows: number): number => Math.max(2, Math.min(mostListed, Math.floor((rows - otherRows) / 2)));

function keysLine({ state, columns, paint }: View): string {
  if (state.typed !== undefined) return cut(`open: ${printable(state.typed)}_`, columns);
  const keys =
    state.opened === undefined
      ? `q quit  s by ${state.sort}  ↑↓ Enter open  / name  p ${state.isPaused ? "go on" : "pause"}`
      : "↑↓ scroll  Esc back  Ctrl-C quit";
  return paint("dim", cut(keys, columns));
}

function headLine({ time, failure, state, columns, paint }: View): string {
  const left = `postern top  ${time} UTC${state.isPaused ? "  paused" : ""}`;
  if (failure === undefined) return paint("bold", cut(left, columns));
  return paint("red", cut(`${left}  not current: ${printable(failure)}`, columns));
}

/** The lines of the terminal. */
function viewLines(view: View): readonly string[] {
  const { state, data, verdict, columns, rows, paint } = view;
  const room = Math.max(1, rows - 2);
  if (state.opened !== undefined) {
    const lines = [printable(state.opened), "", ...(verdict ?? ["…"])].flatMap((line) => wrapped(line, columns));
    const first = Math.min(state.scrolled, Math.max(0, lines.length - room));
    return [headLine(view), ...lines.slice(first, first + room), keysLine(view)];
  }
  const listed = listedIn(rows);
  const all = rowsOf(data, state, listed);
  const selected = selectedIn(state, all);
  const lines = topLines(data, { columns, rows: room, listed, sort: state.sort, selected, paint });
  return [headLine(view), ...lines.slice(0, room), keysLine(view)];
}

const timeNow = (): string => new Date().toISOString().slice(11, 19);

/** Shows the overview until the operator leaves it. */
function createLive({ api, screen }: CommandContext, first: TopData, left: AbortController, over: AbortSignal) {
  const paint = painter(screen.output);
  let state = firstState;
  let shot: Shot = { data: first, time: timeNow(), failure: undefined };
  let verdict: readonly string[] | undefined;
  let failed: unknown;
  const fail = (error: unknown): void => {
    failed = error;
    left.abort();
  };
  const full = openFullScreen(screen, { onKey: (key) => take(key), onResize: () => draw() });
  const draw = (): void => full.draw(viewLines({ ...shot, state, verdict, paint, ...full.size() }));
  const open = async (subject: string): Promise<void> => {
    verdict = undefined;
    draw();
    const lines = await verdictOf(api, subject, over);
    // Another one may have been opened meanwhile.
    if (state.opened !== subject) return;
    verdict = lines;
    draw();
  };
  const take = (key: Parameters<typeof pressed>[1]): void => {
    const before = state.opened;
    state = pressed(state, key, rowsOf(shot.data, state, listedIn(full.size().rows)));
    if (state.isOver) left.abort();
    else if (state.opened !== undefined && state.opened !== before) open(state.opened).catch(fail);
    else draw();
  };
  const refresh = async (): Promise<void> => {
    if (state.isPaused) return;
    try {
      shot = { data: await readTop(api, over), time: timeNow(), failure: undefined };
    } catch (error) {
      if (!(error instanceof ApiError) || refusals.has(error.status)) throw error;
      shot = { ...shot, failure: error.message };
    }
    // Closed meanwhile, nothing is drawn.
    draw();
  };
  return { draw, refresh, close: full.close, failure: () => failed };
}

async function showLive(context: CommandContext): Promise<Shown> {
  // A site that cannot be reached is an error like that of every command.
  const first = await readTop(context.api);
  return untilInterrupted(context.screen, async (stop) => {
    const left = new AbortController();
    const over = AbortSignal.any([stop, left.signal]);
    const live = createLive(context, first, left, over);
    try {
      live.draw();
      while (!over.aborted) {
        await delay(refreshMs, undefined, { signal: over }).catch(() => undefined);
        if (!over.aborted) await live.refresh();
      }
    } finally {
      live.close();
    }
    if (live.failure() !== undefined) throw live.failure();
    return { isShown: true, lines: [], json: undefined };
  });
}

export const topCommand: OperatorCommand = {
  usage: "top [--once] [--json]",
  summary: "show the overview of the site, live",
  help: [
    "Sign-ins of the last hour by outcome, bans, decision times beside the objectives, accounts and networks under attack, and",
    "the health and versions of services, backends and queues, read again every two seconds. Fits terminals from 40 columns on.",
    "Keys: s sorts the lists by sources, by passwords and refusals, or by name; the arrows select a row, and Enter shows what",
    "`postern why` says about it; / asks for any name; p pauses; q quits. What these credentials may not read is left out.",
    "Without a terminal, with --once or with --json it prints the overview once; then the exit code is 0 if everything works.",
  ],
  operands: { min: 0, max: 0 },
  options: ["once"],
  run: (context) => {
    const { input, output } = context.screen;
    const isLive = !context.flags.once && !context.flags.json && output.isTTY === true && input.isTTY === true;
    return isLive ? showLive(context) : showOnce(context);
  },
};
