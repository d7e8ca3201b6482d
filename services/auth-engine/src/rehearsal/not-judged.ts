import type { RehearsalReport } from "@postern/shared/contracts";
import type { Config } from "@postern/shared/platform/config";
import { differingSections } from "./differing-sections.ts";
import type { RecordSource } from "./record-source.ts";

type Reasons = RehearsalReport["not_judged"];

/** What a rehearsal counts while it decides. */
export const newCounts = () => ({
  /** Facts that policies depend on and that were not recorded. */
  missingFacts: new Map<string, number>(),
  /** Records of the history that are not replayed, by what they are. */
  leftOut: new Map<string, number>(),
  bans: { recorded: 0, explained: 0, unrecorded: 0 },
  withoutAnswer: 0,
  warmUp: 0,
  lookups: 0,
  late: 0,
  answered: 0,
});

interface Counted extends ReturnType<typeof newCounts> {
  readonly source: RecordSource;
  readonly configs: readonly [before: Config, after: Config];
  readonly uncertain: number;
  readonly withoutPast: number;
  readonly unlooked: number;
  readonly isIncomplete: boolean;
}

/** Counters are replayed from a log only. */
function ofLog({ bans, uncertain, withoutPast, warmUp, late }: Counted): Reasons {
  return [
    { reason: "wrong passwords that the log does not call new or repeated: they are not counted", count: uncertain },
    { reason: "wrong passwords that may repeat one of before the log: they count as new", count: withoutPast },
    { reason: "within the longest period after the first line: earlier failures are unknown", count: warmUp },
    {
      reason: "refused by a ban in the log that the configuration of --against does not explain",
      count: bans.recorded - bans.explained,
    },
    { reason: "not refused in the log although the configuration of --against bans them", count: bans.unrecorded },
    { reason: "more than a minute out of order: they were replayed late", count: late },
  ];
}

function ofHistory({ bans, leftOut }: Counted): Reasons {
  return [
    {
      reason: "refused by a ban: taken as recorded, because bans cannot be replayed from the history",
      count: bans.recorded,
    },
    ...[...leftOut].map(([reason, count]) => ({ reason, count })),
  ];
}

const droppedText = "the log has more networks and accounts than are remembered: the oldest counts were dropped";

/** What the replay does not know, with the number of sign-ins concerned. */
export function notJudged(counted: Counted): Reasons {
  const { source, configs, missingFacts, withoutAnswer, lookups, answered, unlooked, isIncomplete } = counted;
  const found = [
    ...[...missingFacts].map(([fact, count]) => ({
      reason: `a policy depends on ${fact}, which the ${source.name} does not contain`,
      count,
    })),
    {
      reason: "refused before a backend was asked: whether the password was right is unknown, and nothing is counted",
      count: withoutAnswer,
    },
    ...(source.name === "log" ? ofLog(counted) : ofHistory(counted)),
    { reason: "look-ups, which are no sign-ins", count: lookups },
    { reason: "of accounts that could not be looked up in the backends of --config", count: unlooked },
    ...differingSections(...configs, source).map((reason) => ({ reason, count: answered })),
  ].filter(({ count }) => count > 0);
  return isIncomplete ? [...found, { reason: droppedText, count: 0 }] : found;
}
