import { type Static, Type } from "typebox";
import {
  backchannel,
  emptyAnswer,
  errorAnswer,
  jsonAnswer,
  jsonBody,
  queryOf,
  temporaryFailure,
} from "../operations/answers.ts";
import { operationsWith } from "../operations/define-operation.ts";
import { defineFamily, operatorScopes } from "../operations/route-family.ts";
import { component, optionalText, text, time } from "../schema.ts";
import { AccountQuery, AccountReport } from "./account.ts";
import { Attacks, BanRecordPage, DecisionExportPage, DecisionHistoryPage, Explanation } from "./records.ts";
import { RehearsalRequest, RehearsalRun } from "./rehearsal.ts";
import { SignInOrigins, SignInSeries } from "./series.ts";
import { SystemReport } from "./system.ts";

export const InvitationRequest = component("InvitationRequest", {
  username: text("Account or alias of the operator.", { minLength: 1, maxLength: 1024 }),
});

const issuedCode = {
  account: text("Account that the code is for."),
  code: text("The code. It is shown once, and works once."),
  expires: time("When the code expires."),
};

export const Invitation = component("Invitation", issuedCode);
export type Invitation = Static<typeof Invitation>;

export const LostPhoneRequest = component("LostPhoneRequest", {
  username: text("Account or alias of the user.", { minLength: 1, maxLength: 1024 }),
});

export const LostPhoneCode = component("LostPhoneCode", issuedCode);
export type LostPhoneCode = Static<typeof LostPhoneCode>;

export const consoleFamily = defineFamily({
  name: "console",
  prefix: "/api/v1/console",
  owner: "admin",
  channel: "back",
  anyScope: operatorScopes,
});

export const consoleApi = operationsWith(backchannel(consoleFamily, "Help desk"));

const subject = (description: string) => text(description, { minLength: 1, maxLength: 1024 });
const ofDomain = optionalText("Only records of accounts and typed names of this domain, by name or alias.", {
  maxLength: 253,
});
const limit = optionalText("Size of the page, 1 to 500; 50 by default.", { pattern: "^[0-9]+$" });
const cursor = optionalText("Value of next from the previous page.", { maxLength: 1024 });
const failures = { 400: errorAnswer("A query parameter is missing or invalid."), 500: temporaryFailure };

const rehearsal = "/api/v1/console/rehearsal";
const noHistory = errorAnswer("The decision history is disabled.");

/** All of them show or decide what concerns every account. */
const rehearsals = operationsWith({
  ...backchannel(consoleFamily, "Help desk"),
  anyScope: ["admin"],
  answers: { 404: noHistory, 500: temporaryFailure },
});

const rehearsalOperations = [
  rehearsals("post", rehearsal, "startRehearsal", {
    summary: "Decide the recorded sign-ins again, by the rules of another configuration",
    description:
      "For a change that is not in effect yet. An engine compares it with its own configuration, in a thread of its own, with the sign-ins of the decision history. It connects to no backend, runs no script, and reads no file and no environment variable. One rehearsal at a time; its result replaces the one before and is kept for a day. Audited as rehearsal.start.",
    request: jsonBody(RehearsalRequest),
    answers: {
      202: jsonAnswer("It was started.", RehearsalRun),
      400: errorAnswer("The body is invalid."),
      409: errorAnswer("Another rehearsal is running."),
    },
  }),
  rehearsals("get", rehearsal, "showRehearsal", {
    summary: "Show how far the rehearsal is, or the result of the last one",
    answers: { 200: jsonAnswer("The rehearsal.", RehearsalRun) },
  }),
  rehearsals("delete", rehearsal, "cancelRehearsal", {
    summary: "Cancel the rehearsal that is running",
    description: "The part that was read becomes the result, within about a second. Audited as rehearsal.cancel.",
    answers: { 204: emptyAnswer("It is cancelled, or none was running.") },
  }),
];

export const consoleOperations = [
  consoleApi("get", "/api/v1/console/explain", "explain", {
    concerns: { of: "subject", in: "query", member: "query" },
    summary: "Explain what happened to an account, an address, a network or a reference",
    description:
      "One answer: whether it is blocked now and by which rule, the last success and failures, and what would help. Audited as account.read or network.read.",
    request: queryOf({
      query: subject("Account or alias, IP address, network in CIDR notation, or reference of a sign-in."),
    }),
    answers: { 200: jsonAnswer("The explanation.", Explanation), ...failures },
  }),
  consoleApi("get", "/api/v1/console/history", "listDecisions", {
    concerns: { of: "account", in: "query", member: "account", isOptional: true },
    summary: "List the recorded sign-ins of an account, a network or a reference",
    description:
      "Exactly one of account, network and reference is required. Records are kept for observability.decision_history.retention. Audited as account.read or network.read.",
    request: queryOf({
      account: Type.Optional(subject("Account or alias.")),
      network: Type.Optional(subject("IP address, or a network within an IPv4 /24 or IPv6 /48.")),
      reference: Type.Optional(subject("Reference that a page showed, or GUID of a request that failed.")),
      domain: ofDomain,
      program: Type.Optional(
        subject("Only records of a program with each of these words. An answer without records is then not audited."),
      ),
      limit,
      cursor,
    }),
    answers: { ...failures, 200: jsonAnswer("The records.", DecisionHistoryPage), 404: noHistory },
  }),
  consoleApi("get", "/api/v1/console/history/export", "exportDecisions", {
    anyScope: ["admin"],
    summary: "Read the recorded sign-ins of all accounts, page by page",
    description:
      "For a rehearsal of changed rules. A page may be empty. Audited as history.export, once in ten minutes for each caller and since.",
    request: queryOf({
      domain: ofDomain,
      since: Type.Optional(subject("Only records whose last sign-in is not older than this time (RFC 3339).")),
      cursor,
    }),
    answers: { ...failures, 200: jsonAnswer("The records.", DecisionExportPage), 404: noHistory },
  }),
  ...rehearsalOperations,
  consoleApi("get", "/api/v1/console/bans", "listBansByEnd", {
    summary: "List the active bans, sorted by their end",
    request: queryOf({
      order: Type.Optional(
        Type.Enum(["asc", "desc"], {
          description: "asc: the next to end is first; desc, the default: the last to end is first.",
        }),
      ),
      rule: Type.Optional(subject("Only bans by this rule. A page may then be shorter; next continues the list.")),
      limit,
      cursor,
    }),
    answers: { 200: jsonAnswer("The bans.", BanRecordPage), ...failures },
  }),
  consoleApi("get", "/api/v1/console/attacks", "showAttacks", {
    summary: "Show decisions per minute, failing networks and accounts under attack",
    request: queryOf({
      minutes: optionalText("Length of the series in minutes, 1 to 1440; 60 by default.", { pattern: "^[0-9]+$" }),
    }),
    answers: { 200: jsonAnswer("The attacks.", Attacks), ...failures },
  }),
  consoleApi("get", "/api/v1/console/series", "showSeries", {
    summary: "Show sign-ins over time by outcome, with times of decisions, bans and suspicious sign-ins",
    description:
      "Engines count every sign-in and add up in Redis. Minutes are kept for 3 hours, ten minutes for a day, and hours for 15 days. Contains no names and no addresses.",
    request: queryOf({
      range: Type.Optional(
        Type.Enum(["1h", "3h", "24h", "7d", "14d"], { description: "How far the series goes back; 1h by default." }),
      ),
      steps: optionalText(
        "Steps are as long as necessary for at most about so many, 10 to 360; 360 by default: the resolution that is kept.",
        { pattern: "^[0-9]+$" },
      ),
    }),
    answers: { 200: jsonAnswer("The series.", SignInSeries), ...failures },
  }),
  consoleApi("get", "/api/v1/console/origins", "showOrigins", {
    summary: "Show successes and refusals by country and by autonomous system",
    description:
      "Engines look up the address of every sign-in in the files of auth.risk, count by place, and add up in Redis. Contains no names of users and no addresses.",
    request: queryOf({
      range: Type.Optional(
        Type.Enum(["1h", "24h", "7d"], { description: "How far the counts go back; 1h by default." }),
      ),
    }),
    answers: { 200: jsonAnswer("The counts.", SignInOrigins), ...failures },
  }),
  consoleApi("post", "/api/v1/console/account", "showAccount", {
    concerns: { of: "account", in: "body", member: "account" },
    summary: "Show what the services know about an account",
    description:
      "Second factors, app passwords, what each backend says, and user notifications; no secrets. The name is in the body, so that it is in no access log. What cannot be determined is named in `incomplete`. Audited as account.read.",
    request: jsonBody(AccountQuery),
    answers: {
      200: jsonAnswer("The account.", AccountReport),
      400: errorAnswer("A member of the body is missing or invalid."),
    },
  }),
  consoleApi("get", "/api/v1/console/system", "showSystem", {
    summary: "Show the state of services, engines, backends, Redis, NATS, queues, configuration and certificates",
    description:
      "Responds within about two seconds, even while everything but gateway and admin is unavailable: a part whose source does not answer is unknown. A report is reused for one second.",
    answers: { 200: jsonAnswer("The state of the site.", SystemReport) },
  }),
  consoleApi("post", "/api/v1/console/invitations", "inviteOperator", {
    anyScope: ["admin"],
    summary: "Create a code that admits a new operator to the console",
    description:
      "The operator enters the code at the first sign-in to the console, which then accepts the second factor of this sign-in. A new code replaces the previous one of the account. Assigns no role. Audited as console.invite.",
    request: jsonBody(InvitationRequest),
    answers: {
      200: jsonAnswer("The code.", Invitation),
      400: errorAnswer("The body is invalid, or no backend has the account."),
      500: temporaryFailure,
    },
  }),
  consoleApi("post", "/api/v1/console/lost-phone-codes", "createLostPhoneCode", {
    concerns: { of: "account", in: "body", member: "username" },
    anyScope: ["mfa_write", "admin"],
    summary: "Create a code with which a user who lost the second factor signs in once",
    description:
      "Takes the place of the second factor in one sign-in within an hour; the password is needed too. The session changes no factors before the old one is removed, confirms no suspicious sign-ins, and does not open the console. A new code replaces the previous one of the account. The user is notified at every known address first. Audited as lost_phone.create.",
    request: jsonBody(LostPhoneRequest),
    answers: {
      200: jsonAnswer("The code.", LostPhoneCode),
      400: errorAnswer(
        "The body is invalid, `identity.mfa.lost_phone.enabled` is false, the name is not that of one account that may sign in, or the account is an operator's, suspended, without a second factor, or has an unanswered suspicious sign-in.",
      ),
      500: temporaryFailure,
    },
  }),
];
