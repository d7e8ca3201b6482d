import { type Static, Type } from "typebox";
import { errorAnswer, jsonAnswer, queryOf, temporaryFailure } from "../operations/answers.ts";
import { component, flag, integer, object, optional, optionalText, records, text, texts, time } from "../schema.ts";
import { consoleApi } from "./operations.ts";

const country = text("ISO 3166-1 code. Empty if unknown.");
const system = integer("Number of the autonomous system. 0 if unknown.");

/** What engines know of the sign-ins of an account. Contains no address: engines keep digests of networks. */
export const RiskExplanation = component("RiskExplanation", {
  query: Type.String(),
  account: optionalText("Account of this name in the backends, or of the reference."),
  mode: text("auth.risk.mode."),
  since: optional(time("First sign-in that is remembered. Absent if none is.")),
  is_learned: flag("Whether the account is old enough for novelty to raise signals."),
  networks: records("Networks (IPv4 /24, IPv6 /48) of the last sign-ins, the latest first.", {
    country,
    system,
    state: text("known, new (used, but not yet known) or doubted (used by a suspicious sign-in)."),
    first: time("First sign-in."),
    last: time("Last sign-in, to half an hour."),
  }),
  countries: texts("Countries in which the account has signed in."),
  systems: texts("Autonomous systems from which the account has signed in."),
  protocols: Type.Array(Type.String()),
  clients: texts("Families of mail clients."),
  guessing_networks: integer("Approximate number of networks that sent wrong passwords."),
  hold: optional(
    object("Refuses sources that are new to the account.", {
      kind: text("mail or submission."),
      until: time("End of the hold."),
    }),
  ),
  sign_ins: records(
    "Suspicious sign-ins of the last seven days that the user has neither confirmed nor rejected, newest first.",
    {
      time: time("Time of the sign-in."),
      session: text("GUID of the request."),
      level: text("suspicious or dangerous."),
      score: Type.Integer(),
      signals: texts("Signals with their reasons."),
      country,
      system,
      protocol: Type.String(),
      client: text("Family of the mail client. Empty if unknown."),
      refusal: text("Response that refuses it with enforce. Empty if none does."),
      refused: flag("Whether it was refused."),
      mode: optionalText(
        "auth.risk.mode at the time of the sign-in. Absent for sign-ins that an earlier version recorded.",
      ),
      responses: optional(
        texts("Responses of auth.risk to its level, which were given only with enforce. Absent as for mode."),
      ),
    },
  ),
  incomplete: texts("What could not be determined, and why."),
});
export type RiskExplanation = Static<typeof RiskExplanation>;

export const riskOperations = [
  consoleApi("get", "/api/v1/console/risk", "explainRisk", {
    concerns: { of: "subject", in: "query", member: "query" },
    summary: "Explain why sign-ins of an account were suspicious",
    description:
      "What engines know of an account, and its suspicious sign-ins with their signals. A reference is found if the decision history is enabled. Asking is audited.",
    request: queryOf({
      query: text("Account or alias, or reference of a sign-in.", { minLength: 1, maxLength: 1024 }),
    }),
    answers: {
      200: jsonAnswer("The explanation.", RiskExplanation),
      400: errorAnswer("The query is missing, or is neither an account nor a reference."),
      500: temporaryFailure,
    },
  }),
];
