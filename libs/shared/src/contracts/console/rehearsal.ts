import { type Static, Type } from "typebox";
import { maxRehearsedText } from "../engine/methods.ts";
import { component, optional, optionalCount, optionalFlag, optionalText, text, texts, time } from "../schema.ts";

const count = Type.Integer({ minimum: 0 });
const moment = Type.String({ maxLength: 64, format: "date-time" });
const words = Type.String({ maxLength: 1024 });
const share = Type.Number({ minimum: 0, maximum: 1 });

/** How many sign-ins, and of how many accounts and networks. `at_least`: accounts and networks are at least as many. */
const figures = {
  sign_ins: count,
  accounts: count,
  networks: count,
  at_least: Type.Optional(Type.Boolean()),
};
const Figures = Type.Object(figures);

/** What a difference means for the user. */
export const rehearsalChanges = ["now_refused", "now_admitted", "ban_lifted", "refused_otherwise"] as const;

const Group = Type.Object({
  before: words,
  after: words,
  change: Type.Enum([...rehearsalChanges]),
  ...figures,
  account_names: Type.Array(words, { maxItems: 100 }),
  examples: Type.Array(
    Type.Object({ time: moment, username: words, client_ip: words, protocol: words, session: words }),
    { maxItems: 10 },
  ),
});

/** What `postern rehearse --json` prints. Members that a later version adds are ignored. */
export const RehearsalReport = Type.Object({
  complete: Type.Boolean(),
  /** Where the sign-ins were recorded: a log in the output of earlier versions. */
  source: Type.Optional(Type.Enum(["log", "history"])),
  sign_ins: count,
  from: Type.Union([moment, Type.Null()]),
  until: Type.Union([moment, Type.Null()]),
  different: Figures,
  now_refused: Figures,
  now_admitted: Figures,
  ban_lifted: Figures,
  refused_otherwise: Figures,
  /** Of the sign-ins, those that change between admitted and not admitted. */
  share,
  bans: Type.Array(Type.Object({ rule: words, before: count, after: count }), { maxItems: 1000 }),
  groups: Type.Array(Group, { maxItems: 200 }),
  /** Whether further kinds of differences are counted in the totals only. */
  has_more_groups: Type.Boolean(),
  timeline: Type.Array(Type.Object({ hour: moment, sign_ins: count, different: count, now_refused: count }), {
    maxItems: 20_000,
  }),
  /** What the replay does not know, with the number of sign-ins concerned. */
  not_judged: Type.Array(Type.Object({ reason: words, count }), { maxItems: 1000 }),
  unreadable: count,
});
export type RehearsalReport = Static<typeof RehearsalReport>;

export const RehearsalRequest = component("RehearsalRequest", {
  configuration: text(
    "The changed configuration, in YAML. No file and no environment variable is read: secrets may have any value.",
    { minLength: 1, maxLength: maxRehearsedText },
  ),
  since: optional(time("Only sign-ins from this time on. Absent: all.")),
});

export const RehearsalRun = component("RehearsalRun", {
  state: text(
    "none; running; done; refused (the configuration has problems); failed (`problems` say why); lost (the engine that ran it has ended).",
  ),
  by: optionalText("The operator who started it."),
  started: optional(time("When it was started.")),
  since: optional(time("Only sign-ins from this time on. Absent: all.")),
  cancelled: optionalFlag("Whether an operator has cancelled it."),
  done: Type.Optional(share),
  sign_ins: Type.Optional(count),
  remaining_seconds: optionalCount("Estimate. Absent if there is none."),
  problems: optional(texts("Problems of the configuration, or why the rehearsal failed.")),
  report: Type.Optional(RehearsalReport),
});
export type RehearsalRun = Static<typeof RehearsalRun>;
