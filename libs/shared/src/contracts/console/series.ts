import { type Static, Type } from "typebox";
import { component, count, object, optionalCount, optionalText, records, text, time } from "../schema.ts";

const milliseconds = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }));

/** Sign-ins over time, as engines count them. */
export const SignInSeries = component("SignInSeries", {
  range: text("As asked for."),
  step_seconds: count("Length of a step."),
  steps: records("Oldest first; the last one is not over yet. Engines add their counts every ten seconds.", {
    time: time("Begin of the step."),
    ok: count("Successes that a backend decided."),
    cached: count("Successes that a cache decided."),
    wrong_password: count(),
    unknown_user: count(),
    denied: count("Refused for any other reason, such as a policy, a control or a disabled account."),
    blocked: count("Refused because the network is banned."),
    tempfail: count("Temporary failures."),
    new_bans: count("Bans that began."),
    bans: optionalCount("Bans in force at the end of the step. Absent if no engine counted them."),
    suspicious: count("Sign-ins with the correct password that someone else may have made."),
    p50_ms: milliseconds("Half of the decisions took at most this long. Absent without decisions."),
    p99_ms: milliseconds("99 of 100 decisions took at most this long. Absent without decisions."),
  }),
  protocols: records("Sums of the range by protocol. Those without sign-ins are absent.", {
    protocol: text("imap, pop3, smtp, submission, sieve, idp (the sign-in pages) or other."),
    ok: count("Successes."),
    failed: count("Refusals."),
  }),
  p50_ms: milliseconds("Of the range."),
  p99_ms: milliseconds("Of the range."),
  week_step_seconds: count("Length of a step of `week`."),
  week: records(
    "Refusals beside those of the week before: of the last day, or of as long as the range, up to a week.",
    {
      time: time("Begin of the step."),
      failures: count("Refusals."),
      week_before: optionalCount("Refusals a week earlier. Absent if nothing was counted then."),
    },
  ),
  objective: object("The objectives of deploy/monitoring/slo.yaml as delivered.", {
    tempfail_share: Type.Number({ description: "Part of the decisions that may be temporary failures." }),
    p99_ms: Type.Number({ description: "Time in which 99 of 100 decisions are to be made." }),
  }),
});
export type SignInSeries = Static<typeof SignInSeries>;

const outcomes = {
  ok: count("Successes."),
  refused: count("Refusals for any reason. Temporary failures are in neither number."),
};
const Outcomes = (description: string) => Type.Object(outcomes, { description });

/** Where sign-ins come from, as engines count them. */
export const SignInOrigins = component("SignInOrigins", {
  range: text("As asked for."),
  since: time(
    "Begin of the counts: at most the range ago, and up to a twelfth of it less, because periods are counted.",
  ),
  places: Type.Enum(["known", "off", "unavailable"], {
    description:
      "Whether engines count by place: known, off (neither auth.risk.city_file nor system_file is configured, or brute-force protection, which reads them, is off) or unavailable (nothing was counted, and no engine answered).",
  }),
  all: Outcomes("All sign-ins of the range."),
  countries: records("The most refusals first.", {
    country: text("ISO 3166-1 code.", { pattern: "^[A-Z]{2}$" }),
    ...outcomes,
  }),
  unknown_country: Outcomes(
    "Sign-ins whose country is unknown: from private networks, without an address of the client, or from an address that city_file does not have.",
  ),
  systems: records(
    "Autonomous systems, the most refusals first: in each period, the 63 with the most refusals and the 63 with the most successes.",
    {
      system: count("Number of the autonomous system.", 1),
      owner: optionalText("Name of its organisation. Absent if unknown.", { maxLength: 64 }),
      ...outcomes,
    },
  ),
  other_systems: Outcomes("Sign-ins from autonomous systems that are not listed."),
  unknown_system: Outcomes("Sign-ins whose autonomous system is unknown."),
});
export type SignInOrigins = Static<typeof SignInOrigins>;
