import { type Static, Type } from "typebox";
import { errorAnswer, jsonAnswer, temporaryFailure } from "../operations/answers.ts";
import { consoleApi } from "./family.ts";

const optional = (description: string) => Type.Optional(Type.String({ description }));
const time = (description: string) => Type.String({ format: "date-time", description });
const country = Type.String({ description: "ISO 3166-1 code. Empty if unknown." });
const system = Type.Integer({ description: "Number of the autonomous system. 0 if unknown." });

/** What engines know of the sign-ins of an account. Contains no address: engines keep digests of networks. */
export const RiskExplanation = Type.Object(
  {
    query: Type.String(),
    account: optional("Account of this name in the backends, or of the reference."),
    mode: Type.String({ description: "auth.risk.mode." }),
    since: Type.Optional(time("First sign-in that is remembered. Absent if none is.")),
    is_learned: Type.Boolean({ description: "Whether the account is old enough for novelty to raise signals." }),
    networks: Type.Array(
      Type.Object({
        country,
        system,
        state: Type.String({
          description: "known, new (used, but not yet known) or doubted (used by a suspicious sign-in).",
        }),
        first: time("First sign-in."),
        last: time("Last sign-in, to half an hour."),
      }),
      { description: "Networks (IPv4 /24, IPv6 /48) of the last sign-ins, the latest first." },
    ),
    countries: Type.Array(Type.String(), { description: "Countries in which the account has signed in." }),
    systems: Type.Array(Type.String(), { description: "Autonomous systems from which the account has signed in." }),
    protocols: Type.Array(Type.String()),
    clients: Type.Array(Type.String(), { description: "Families of mail clients." }),
    guessing_networks: Type.Integer({ description: "Approximate number of networks that sent wrong passwords." }),
    hold: Type.Optional(
      Type.Object(
        { kind: Type.String({ description: "mail or submission." }), until: time("End of the hold.") },
        { description: "Refuses sources that are new to the account." },
      ),
    ),
    sign_ins: Type.Array(
      Type.Object({
        time: time("Time of the sign-in."),
        session: Type.String({ description: "GUID of the request." }),
        level: Type.String({ description: "suspicious or dangerous." }),
        score: Type.Integer(),
        signals: Type.Array(Type.String(), { description: "Signals with their reasons." }),
        country,
        system,
        protocol: Type.String(),
        client: Type.String({ description: "Family of the mail client. Empty if unknown." }),
        refusal: Type.String({ description: "Response that refuses it with enforce. Empty if none does." }),
        refused: Type.Boolean({ description: "Whether it was refused." }),
        mode: optional(
          "auth.risk.mode at the time of the sign-in. Absent for sign-ins that an earlier version recorded.",
        ),
        responses: Type.Optional(
          Type.Array(Type.String(), {
            description: "Responses of auth.risk to its level, which were given only with enforce. Absent as for mode.",
          }),
        ),
      }),
      {
        description:
          "Suspicious sign-ins of the last seven days that the user has neither confirmed nor rejected, newest first.",
      },
    ),
    incomplete: Type.Array(Type.String(), { description: "What could not be determined, and why." }),
  },
  { title: "RiskExplanation" },
);
export type RiskExplanation = Static<typeof RiskExplanation>;

export const riskOperations = [
  consoleApi("get", "/api/v1/console/risk", "explainRisk", {
    summary: "Explain why sign-ins of an account were suspicious",
    description:
      "What engines know of an account, and its suspicious sign-ins with their signals. A reference is found if the decision history is enabled. Asking is audited.",
    request: {
      query: Type.Object({
        query: Type.String({
          minLength: 1,
          maxLength: 1024,
          description: "Account or alias, or reference of a sign-in.",
        }),
      }),
    },
    answers: {
      200: jsonAnswer("The explanation.", RiskExplanation),
      400: errorAnswer("The query is missing, or is neither an account nor a reference."),
      500: temporaryFailure,
    },
  }),
];
