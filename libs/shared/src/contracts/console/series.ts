import { type Static, Type } from "typebox";
import { component, text, time } from "../schema.ts";

const count = (description?: string) => Type.Integer({ minimum: 0, ...(description !== undefined && { description }) });
const milliseconds = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }));

/** Sign-ins over time, as engines count them. */
export const SignInSeries = component("SignInSeries", {
  range: text("As asked for."),
  step_seconds: count("Length of a step."),
  steps: Type.Array(
    Type.Object({
      time: time("Begin of the step."),
      ok: count("Successes that a backend decided."),
      cached: count("Successes that a cache decided."),
      wrong_password: count(),
      unknown_user: count(),
      denied: count("Refused for any other reason, such as a policy, a control or a disabled account."),
      blocked: count("Refused because the network is banned."),
      tempfail: count("Temporary failures."),
      new_bans: count("Bans that began."),
      bans: Type.Optional(count("Bans in force at the end of the step. Absent if no engine counted them.")),
      suspicious: count("Sign-ins with the correct password that someone else may have made."),
      p50_ms: milliseconds("Half of the decisions took at most this long. Absent without decisions."),
      p99_ms: milliseconds("99 of 100 decisions took at most this long. Absent without decisions."),
    }),
    { description: "Oldest first; the last one is not over yet. Engines add their counts every ten seconds." },
  ),
  protocols: Type.Array(
    Type.Object({
      protocol: text("imap, pop3, smtp, submission, sieve, idp (the sign-in pages) or other."),
      ok: count("Successes."),
      failed: count("Refusals."),
    }),
    { description: "Sums of the range by protocol. Those without sign-ins are absent." },
  ),
  p50_ms: milliseconds("Of the range."),
  p99_ms: milliseconds("Of the range."),
  week_step_seconds: count("Length of a step of `week`."),
  week: Type.Array(
    Type.Object({
      time: time("Begin of the step."),
      failures: count("Refusals."),
      week_before: Type.Optional(count("Refusals a week earlier. Absent if nothing was counted then.")),
    }),
    {
      description:
        "Refusals beside those of the week before: of the last day, or of as long as the range, up to a week.",
    },
  ),
  objective: Type.Object(
    {
      tempfail_share: Type.Number({ description: "Part of the decisions that may be temporary failures." }),
      p99_ms: Type.Number({ description: "Time in which 99 of 100 decisions are to be made." }),
    },
    { description: "The objectives of deploy/monitoring/slo.yaml as delivered." },
  ),
});
export type SignInSeries = Static<typeof SignInSeries>;
