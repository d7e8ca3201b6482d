import { type Static, Type } from "typebox";
import { AddressPlace } from "../engine/methods.ts";
import {
  component,
  count,
  integer,
  list,
  object,
  optional,
  optionalCount,
  optionalFlag,
  optionalText,
  records,
  text,
  texts,
  time,
} from "../schema.ts";

/** A sign-in, or consecutive equal ones, as operators see it. */
export const DecisionRecord = component("DecisionRecord", {
  time: time("Time of the last one."),
  first_time: time("Time of the first one; equal to `time` if there was one."),
  count: count("Number of equal sign-ins; of ordinary successes, those of the days in `days`.", 1),
  days: optional(
    records("Ordinary successes by day, the latest first. Absent for what is recorded individually.", {
      date: text("Day in UTC, such as 2026-11-28."),
      count: Type.Integer({ minimum: 1 }),
    }),
  ),
  outcome: text("ok, denied, blocked or undecided (a temporary failure)."),
  reason: optionalText("Reason of an outcome other than ok, as in the log."),
  text: text("The outcome in words."),
  rule: optionalText("Brute-force rule that banned the network, or policy that denied the sign-in."),
  channel: text("mail, browser (the sign-in pages), jwt, or mail_server (verified and reported by a mail server)."),
  step: optionalText(
    "Step of a sign-in on the pages: password, totp, recovery, webauthn, passkey, remembered_device or lost_phone.",
  ),
  protocol: Type.String(),
  client: optionalText("Application that the sign-in was for, or the mail program that the mail server named."),
  client_ip: text("Address of the client. Empty if unknown."),
  network: optionalText("Network of the address: its IPv4 /24 or IPv6 /48. Absent without an address."),
  place: Type.Optional(AddressPlace),
  is_new_country: optionalFlag(
    "In the history of an account: the password was correct, and the account has no earlier such record from this country. Absent if it is not so.",
  ),
  account: optionalText("Account. Absent if nothing showed that it exists."),
  username: optionalText("Name as typed, if it is not the account's."),
  domain: optionalText("Domain of the account, or of the typed name. Absent while no domain has rules of its own."),
  instance: text("Process that decided. Empty for ordinary successes."),
  session: text("GUID of the last request, of ordinary successes its first two groups. References begin with it."),
});
export type DecisionRecord = Static<typeof DecisionRecord>;

export const DecisionHistoryPage = component("DecisionHistoryPage", {
  records: Type.Array(DecisionRecord, { description: "Newest first." }),
  next: optionalText("Value of the query parameter cursor for the next page. Absent on the last page."),
  incomplete: optional(texts("Why records may be missing. Absent if none are.")),
  places: optionalText(
    "Whether records have places: known, off (neither auth.risk.city_file nor system_file is configured) or unavailable (no engine answered).",
  ),
});
export type DecisionHistoryPage = Static<typeof DecisionHistoryPage>;

export const DecisionExportPage = component("DecisionExportPage", {
  histories: records("Records of accounts, of networks, and of names that a ban refused; in no order.", {
    id: text("Tells two histories apart. A history may be on two pages."),
    records: Type.Array(DecisionRecord, { description: "Newest first." }),
  }),
  done: Type.Number({ minimum: 0, maximum: 1, description: "Share of the history that has been read." }),
  next: optionalText("Value of the query parameter cursor for the next page. Absent on the last page."),
});
export type DecisionExportPage = Static<typeof DecisionExportPage>;

export const BanRecord = component("Ban", {
  network: Type.String(),
  rule: Type.String(),
  start: time("Start of the ban."),
  end: time("End of the ban."),
  failures: optionalCount("Value of failed_requests of the rule. Absent for a former rule.", 1),
});
export type BanRecord = Static<typeof BanRecord>;

export const BanRecordPage = component("BanPage", {
  bans: Type.Array(BanRecord),
  total: count("Number of bans in force, by any rule."),
  next: optionalText("Value of the query parameter cursor for the next page. Absent on the last page."),
});
export type BanRecordPage = Static<typeof BanRecordPage>;

/** What a text in English says, for those who say it in another language. */
export const Sentence = component("Sentence", {
  code: text("Identifier of the sentence."),
  values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
    description: "What it is about, such as an address, a number, or a time in UTC.",
  }),
});
export type Sentence = Static<typeof Sentence>;

/** Whether the site is attacked, as the overview says it. */
const Situation = component("AttackSituation", {
  state: text(
    "quiet, attack, refusals (unusually many, and rather a fault or a program than an attack) or guessing (passwords of at least five accounts, whose sign-ins are delayed).",
  ),
  verdict: text("The answer in sentences; empty while it is quiet. Times are in UTC."),
  sentences: Type.Array(Sentence, { description: "The same by code." }),
  since: optional(time("Begin, accurate to ten minutes. Absent if it is not a matter of refusals.")),
});
export type AttackSituation = Static<typeof Situation>;

export const Attacks = component("Attacks", {
  minutes: records("Decisions per minute, oldest first. Empty while none were recorded.", {
    time: time("Begin of the minute."),
    ok: Type.Integer(),
    denied: Type.Integer(),
    blocked: Type.Integer(),
    undecided: Type.Integer(),
  }),
  networks: records(
    "Networks (IPv4 /24, IPv6 /48) with most failures that count in this hour and the one before, the first with the most.",
    {
      network: Type.String(),
      failures: integer("Failures that count, each wrong password of an account once."),
      repeated: optional(integer("Repetitions of a wrong password, as of a device with an old password.")),
      refused: optional(integer("Sign-ins that a ban refused.")),
    },
  ),
  accounts: records("Some accounts for which wrong passwords were sent, those with most addresses first.", {
    account: text("Name for which wrong passwords were sent."),
    addresses: integer("Number of addresses that sent them, at most 1000."),
    wrong_passwords: optional(
      integer("Distinct wrong passwords, if known. One is rather an old password on a device than an attack."),
    ),
    delayed_until: Type.Optional(Type.String({ format: "date-time" })),
  }),
  situation: Type.Optional(Situation),
});
export type Attacks = Static<typeof Attacks>;

const sentences = Type.Optional(
  Type.Array(Sentence, { description: "The same by code. Absent from earlier versions." }),
);
const remedySentence = Type.Optional(Sentence);

const ExplanationCause = component("ExplanationCause", {
  kind: text("suspension, disabled, unknown, ban, factor (a limit of a second factor), hold or delay."),
  text: text("The cause in a sentence. Times are in UTC."),
  sentences,
  end: optional(time("When it ends by itself. Absent if it does not.")),
  remedy: optionalText("What would help, in a sentence."),
  remedy_sentence: remedySentence,
  command: optionalText("Command of the remedy."),
  action: optionalText("Action of the console that is the remedy."),
  target: optionalText("Account or network that the action is for."),
});

export type ExplanationCause = Static<typeof ExplanationCause>;

/** A program that sends a wrong password. */
export const WrongPasswordSender = component("WrongPasswordSender", {
  account: text("Account; the name as typed, if no backend has it."),
  client: optionalText("Mail program that the mail server named, or application. Absent if nothing named it."),
  protocol: Type.String(),
  channel: text("As in the records."),
  client_ip: text("Address of the last sign-in. Empty if unknown."),
  count: count("Wrong passwords, equal ones too.", 1),
  last_time: time("Time of the last sign-in, which a ban may have refused."),
});
export type WrongPasswordSender = Static<typeof WrongPasswordSender>;

const Doubts = object("What says that someone else may know the password of the account. Absent if nothing does.", {
  suspicious: count("Number of suspicious sign-ins that the user has not answered."),
  new_country: optional(
    object("The latest first sign-in from a country, in the last seven days.", {
      country: text("ISO 3166-1 code."),
      time: time("Time of the sign-in."),
      client_ip: text("Its address."),
      protocols: optional(texts("Protocols of all sign-ins with the correct password from there.")),
    }),
  ),
});

export const Explanation = component("Explanation", {
  query: Type.String(),
  kind: text("account, address, network or reference."),
  state: text(
    "blocked, delayed, limited (some sign-ins are refused), denied (the last sign-in), undecided (the last sign-in), lifted (the cause of the last failure has ended), doubted (the last sign-in succeeded, and someone else may have made it), working (the last sign-in succeeded) or unknown (no record).",
  ),
  verdict: text("The answer in a sentence. Times are in UTC."),
  sentences,
  remedy: optionalText("What would help, in a sentence. Absent if nothing is to be done."),
  remedy_sentence: remedySentence,
  causes: Type.Optional(
    Type.Array(ExplanationCause, { description: "Everything that refuses or delays sign-ins now, the worst first." }),
  ),
  account: optionalText("Account of this name in the backends, or of the reference."),
  bans: list("Bans in force of the networks asked for, or of the account's addresses.", BanRecord),
  delay: optional(
    object("Delay of responses to networks that the account does not know.", {
      wrong_passwords: Type.Integer(),
      until: Type.String({ format: "date-time" }),
    }),
  ),
  doubts: Type.Optional(Doubts),
  wrong_passwords: Type.Optional(
    Type.Array(WrongPasswordSender, {
      description:
        "Programs that sent wrong passwords in the last 24 hours: for the account, from the network, or from the network whose ban keeps the account out; at most 10, the one with most first.",
    }),
  ),
  last_success: Type.Optional(DecisionRecord),
  last_failures: Type.Array(DecisionRecord, { description: "Latest sign-ins that did not succeed, at most 10." }),
  guessing_addresses: texts("Addresses that sent wrong passwords for the account, the latest first, at most 100."),
  other_accounts: texts("Other accounts that signed in from the network, at most 20."),
  incomplete: texts("What could not be determined, and why."),
});
export type Explanation = Static<typeof Explanation>;
