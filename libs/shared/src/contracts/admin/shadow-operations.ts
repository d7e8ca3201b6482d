import { type Static, Type } from "typebox";
import { emptyAnswer, errorAnswer, jsonAnswer, operatorApi, queryOf } from "../operations/answers.ts";
import { component, count, flag, object, optional, optionalText, records, text, texts, time } from "../schema.ts";

const kind = text(
  "missing (the new backends do not know the account), added (only they know it), password (only one side accepts the password), disabled, account (its name differs), attributes or second_factors.",
);

const compared = (name: string) =>
  records("Those with most differences first.", {
    name: text(name),
    compared: count("Requests that were compared."),
    different: count("Those with a difference."),
  });

const digests = (side: string) => texts(`Keyed digests of the values in ${side}; empty if the attribute is absent.`);

export const ShadowReport = component("ShadowReport", {
  is_on: flag("Whether auth.shadow.order has a backend and auth.shadow.percent is not 0."),
  order: texts("auth.shadow.order."),
  percent: Type.Number({ description: "auth.shadow.percent." }),
  passwords: text("auth.shadow.passwords: none, accepted or all."),
  since: optional(time("Start of the report. Absent if nothing was compared.")),
  last: optional(time("When an engine last added to it.")),
  compared: count("Requests that were compared."),
  different: count("Those with a difference."),
  omitted: object("Requests that could not be compared.", {
    undecided_old: count("The backends that decide had a temporary failure."),
    undecided_new: count("The new backends had a temporary failure, or were too slow."),
    dropped: count("Too many waited."),
  }),
  accounts: count("Accounts that differed when they were last compared."),
  kinds: Type.Array(
    Type.Object({
      kind,
      requests: count("Requests with this difference."),
      accounts: count("Accounts that differed in this way when they were last compared."),
    }),
  ),
  protocols: compared("imap, pop3, smtp, submission, sieve, idp (the sign-in pages) or other."),
  domains: compared("Domain of the account; - for names without one, * for those beyond the limit."),
  differences: records("The latest first. A difference is absent once a comparison finds both sides equal.", {
    time: time("When it was last seen."),
    kind,
    account: text("The name that the backends that decide have, or else the new ones, or else the name as sent."),
    protocol: text("Protocol of the request."),
    old: optionalText("What the backends that decide say."),
    new: optionalText("What the new backends say."),
    attributes: Type.Optional(
      Type.Array(
        Type.Object({
          name: text("Name of the attribute; groups and unique_user_id too."),
          old: digests("the backends that decide"),
          new: digests("the new backends"),
        }),
      ),
    ),
  }),
  next: optionalText("Value of cursor for the next page."),
});
export type ShadowReport = Static<typeof ShadowReport>;

const path = "/api/v1/shadow";
const define = operatorApi({ name: "shadow", prefix: path, owner: "admin" }, "Administration", {
  404: errorAnswer("storage.redis.encryption_secret is not set, so nothing is compared."),
});

export const shadowOperations = [
  define("get", path, "showShadowReport", {
    summary: "Show where the answers of other backends differ from those of the backends that decide",
    description:
      "What auth.shadow has compared: totals, rates by domain and protocol, and the accounts that differ. All engines add to one report every five seconds. It keeps the newest 10,000 differences, and ends 30 days after the last comparison. Contains no passwords and no values of attributes.",
    request: queryOf({
      kind: optionalText("Only differences of this kind.", { maxLength: 32 }),
      limit: optionalText("Differences on a page, 1 to 500; 50 by default.", { pattern: "^[0-9]+$" }),
      cursor: optionalText("Value of next from the previous page.", { maxLength: 256 }),
    }),
    answers: { 200: jsonAnswer("The report.", ShadowReport), 400: errorAnswer("A query parameter is invalid.") },
  }),
  define("delete", path, "resetShadowReport", {
    summary: "Delete the report of the shadow",
    description:
      "The next comparisons begin a new one. What engines compared in the last five seconds may follow. Audited as shadow.reset.",
    answers: { 204: emptyAnswer("The report is empty.") },
  }),
];
