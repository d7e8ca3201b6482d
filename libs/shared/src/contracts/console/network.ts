import { type Static, Type } from "typebox";
import { AddressPlace } from "../engine/methods.ts";
import { errorAnswer, jsonAnswer, queryOf, temporaryFailure } from "../operations/answers.ts";
import { component, count, optionalCount, text, texts } from "../schema.ts";
import { consoleApi } from "./operations.ts";
import { BanRecord } from "./records.ts";

const RuleState = Type.Object({
  rule: Type.String(),
  network: text("Network in which the rule counts."),
  failures: count("Failures that count now, before tolerance."),
  limit: count("Value of failed_requests of the rule.", 1),
  period_seconds: count("Value of period of the rule.", 1),
  protocols: texts("Value of filter_by_protocol of the rule. Empty: all."),
});

export const NetworkReport = component("NetworkReport", {
  network: text("The address or network asked for, in its canonical form."),
  place: Type.Optional(AddressPlace),
  rules: Type.Array(RuleState, {
    description:
      "Rules that count the whole network, in the order of the configuration; for an address, all rules of its family.",
  }),
  bans: Type.Array(BanRecord, {
    description: "Bans in force of the network, and of at most 100 addresses in it that signed in or failed to.",
  }),
  distinct_passwords: optionalCount(
    "Approximate number of different wrong passwords, each with its user name, that the network, or those addresses, sent within a day. Absent if it could not be read.",
  ),
  incomplete: texts("What could not be determined, and why."),
});
export type NetworkReport = Static<typeof NetworkReport>;

export const networkOperations = [
  consoleApi("get", "/api/v1/console/network", "showNetwork", {
    summary: "Show what brute-force protection knows of a network",
    description: "Counts by rule, bans, and the number of different wrong passwords. Audited as network.read.",
    request: queryOf({
      network: text("IP address, or a network within an IPv4 /24 or IPv6 /48.", { minLength: 1, maxLength: 1024 }),
    }),
    answers: {
      200: jsonAnswer("The network.", NetworkReport),
      400: errorAnswer("The network is missing, invalid or too wide."),
      500: temporaryFailure,
    },
  }),
];
