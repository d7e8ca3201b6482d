import { type Static, Type } from "typebox";
import { errorAnswer, jsonAnswer, jsonBody, operatorApi, pathOf, queryOf } from "../operations/answers.ts";
import { component, count, flag, optional, optionalText, records, text, texts, time } from "../schema.ts";
import { cacheApi, Envelope } from "./flush-operations.ts";

const valuesByName = (description: string) => Type.Record(Type.String(), texts(""), { description });

const traffic = {
  days: records("The last 14 days, the oldest first. Temporary failures are in no number.", {
    date: text("In UTC."),
    successes: Type.Integer(),
    failures: Type.Integer(),
  }),
  successes: count("Sum of these days."),
  failures: count("Sum of these days."),
  last: optional(time("Last success in these days, to about ten seconds.")),
};

export const DomainSignIns = component("DomainSignIns", {
  ...traffic,
  accounts_since: text("Date from which on accounts are counted."),
  accounts: count("About so many accounts signed in."),
  second_factors: count("About so many accounts had a second factor when a page or an operator needed to know."),
  app_passwords: count(
    "About so many accounts signed in with an app password, or had one when a page or an operator needed to know.",
  ),
});
export type DomainSignIns = Static<typeof DomainSignIns>;

export const DomainTraffic = component("DomainTraffic", traffic);
export type DomainTraffic = Static<typeof DomainTraffic>;

/** What decides about the users of a domain. */
export const DomainReport = component("DomainReport", {
  name: text("With A-labels, in lower case; empty for names without a domain."),
  found_as: text("name, or alias if the domain that was asked for is an alias of it."),
  origin: text(
    "records (the configuration), source, default (no record; the rules of auth.domains.default), or none: there are neither records nor a source, and auth.backends.order decides.",
  ),
  aliases: texts("Other domains whose names are names of this one."),
  enabled: flag("Whether its users may sign in."),
  message: optionalText("Message for its users while it is not enabled. Absent: that of a wrong password."),
  backends: records("The backends that are queried, in this order.", {
    name: text("Entry like those of auth.backends.order."),
    is_configured: Type.Boolean(),
  }),
  protocols: texts("Protocols with which its users may sign in. Empty: all."),
  mail_credentials: text("What mail programs may sign in with: any, app_passwords or tokens."),
  second_factor: optionalText("required, or optional. Absent without a record."),
  attributes: valuesByName("Values for policies, by name."),
  operators: valuesByName("Groups by the role in the console that they assign, for this domain only."),
  sign_ins: Type.Optional(DomainSignIns),
  record: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "The record with the keys of auth.domains.records. Absent without one, and in lists.",
    }),
  ),
});
export type DomainReport = Static<typeof DomainReport>;

export const DomainList = component("DomainList", {
  domains: Type.Array(DomainReport, {
    description: "By name: domains with records in the configuration; for a caller that is limited to domains, these.",
  }),
  others: Type.Optional(DomainTraffic),
  next: optionalText("Value of cursor for the next page. Absent on the last page."),
  has_records: flag("Whether domains have rules of their own. If not, all are decided by auth.backends.order."),
  source: text(
    "auth.domains.source.kind: none, sql, ldap or lua. Its records are listed only for callers that are limited to them.",
  ),
  default_enabled: flag("auth.domains.default.enabled: whether users of domains without a record may sign in."),
});
export type DomainList = Static<typeof DomainList>;

export const DomainFlushRequest = Type.Object({
  domain: optionalText("Name or alias of a domain. Absent: all domains.", { minLength: 1, maxLength: 253 }),
});

export const DomainFlush = Envelope(
  "domain",
  "flush",
  Type.Object({ domain: text("The domain. Empty: all."), status: text("What follows, as a sentence.") }),
);

const malformed = { 400: errorAnswer("A parameter is missing or invalid.") };
const domains = operatorApi(
  { name: "domains", prefix: "/api/v1/domains", owner: "admin" },
  "Administration",
  malformed,
);

export const domainOperations = [
  cacheApi("delete", "/api/v1/cache/flush/domain", "flushDomain", {
    concerns: { of: "domain", in: "body", member: "domain" },
    summary: "Read the record of a domain again",
    description:
      "For records of auth.domains.source: all services forget the record, or all records, and read it when it is next needed. Results and bans of users remain. Audited as domain.flush.",
    request: jsonBody(DomainFlushRequest),
    answers: {
      200: jsonAnswer("The services forget the record.", DomainFlush),
      400: errorAnswer("Malformed request."),
    },
  }),
  domains("get", "/api/v1/domains", "listDomains", {
    concerns: { of: "accounts" },
    summary: "List the domains with records in the configuration",
    description:
      "A caller that is limited to domains gets only these. others has the sign-ins with all other names: domains without a record, names without a domain, domains that are not served, and domains above the number that is counted on one day. It is absent for limited callers, and while Redis does not answer.",
    request: queryOf({
      limit: optionalText("Size of the page, 1 to 500; 50 by default.", { pattern: "^[0-9]+$" }),
      cursor: optionalText("Value of next from the previous page.", { maxLength: 253 }),
    }),
    answers: { 200: jsonAnswer("The domains.", DomainList) },
  }),
  domains("get", "/api/v1/domains/{name}", "showDomain", {
    concerns: { of: "domain", in: "path", member: "name" },
    summary: "Show the record of a domain, where it is from, and the sign-ins of its users",
    description: "sign_ins is absent for a domain without a record, and while Redis does not answer.",
    request: pathOf({ name: text("Name or alias of the domain.", { minLength: 1, maxLength: 253 }) }),
    answers: {
      200: jsonAnswer("The domain.", DomainReport),
      404: errorAnswer("The site does not serve the domain."),
    },
  }),
];
