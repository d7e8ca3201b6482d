import { type Static, Type } from "typebox";
import { component, optionalText, text, time } from "../schema.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });

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
  countries: Type.Array(Type.Object({ country: text("ISO 3166-1 code.", { pattern: "^[A-Z]{2}$" }), ...outcomes }), {
    description: "The most refusals first.",
  }),
  unknown_country: Outcomes(
    "Sign-ins whose country is unknown: from private networks, without an address of the client, or from an address that city_file does not have.",
  ),
  systems: Type.Array(
    Type.Object({
      system: Type.Integer({ minimum: 1, description: "Number of the autonomous system." }),
      owner: optionalText("Name of its organisation. Absent if unknown.", { maxLength: 64 }),
      ...outcomes,
    }),
    {
      description:
        "Autonomous systems, the most refusals first: in each period, the 63 with the most refusals and the 63 with the most successes.",
    },
  ),
  other_systems: Outcomes("Sign-ins from autonomous systems that are not listed."),
  unknown_system: Outcomes("Sign-ins whose autonomous system is unknown."),
});
export type SignInOrigins = Static<typeof SignInOrigins>;
