import { type Static, Type } from "typebox";
import { errorAnswer, jsonAnswer, temporaryFailure } from "../operations/answers.ts";
import { component, flag, optionalText, text, texts } from "../schema.ts";
import { consoleApi } from "./operations.ts";

const textsByName = (description: string) => Type.Record(Type.String(), Type.Array(Type.String()), { description });

/** What decides about the users of a domain. */
export const DomainInEffect = component("DomainInEffect", {
  name: text("The domain, with A-labels; empty for names without a domain."),
  aliases: texts("Other domains whose names are names of this one."),
  origin: text("records: the configuration; source: auth.domains.source; default: auth.domains.default."),
  enabled: flag("Whether its users may sign in."),
  message: optionalText("Message for its users while it is not enabled. Absent: that of a wrong password."),
  backends: texts(
    "Backends that are queried, in this order. Empty: those of auth.domains.default or auth.backends.order.",
  ),
  protocols: texts("Protocols with which its users may sign in. Empty: all."),
  mail_credentials: text("What mail programs may sign in with: any, app_passwords or tokens."),
  second_factor: optionalText("required, or optional. Absent without a record."),
  attributes: textsByName("Values for policies, by name."),
  operators: textsByName("Groups by the role in the console that they assign, for this domain only."),
});
export type DomainInEffect = Static<typeof DomainInEffect>;

export const DomainPage = component("DomainPage", {
  domains: Type.Array(DomainInEffect),
  next: optionalText("Value of the query parameter cursor for the next page. Absent on the last page."),
  has_records: flag("Whether domains have rules of their own. If not, all are decided by auth.backends.order."),
  has_source: flag("Whether there may be others, which auth.domains.source returns when they are asked for by name."),
});
export type DomainPage = Static<typeof DomainPage>;

export const domainPageOperations = [
  consoleApi("get", "/api/v1/console/domains", "showDomains", {
    concerns: { of: "accounts" },
    summary: "Show the domains of the configuration, or one by name, with the record in effect",
    description:
      "Sorted by name. A domain that the site does not serve is not listed. A caller that is limited to domains gets only these.",
    request: {
      query: Type.Object({
        name: optionalText("Domain or alias.", { minLength: 1, maxLength: 255 }),
        limit: optionalText("Size of the page, 1 to 500; 50 by default.", { pattern: "^[0-9]+$" }),
        cursor: optionalText("Value of next from the previous page.", { maxLength: 255 }),
      }),
    },
    answers: {
      200: jsonAnswer("The domains.", DomainPage),
      400: errorAnswer("A query parameter is invalid."),
      500: temporaryFailure,
    },
  }),
];
