import { type Static, Type } from "typebox";

const optional = (description: string) => Type.Optional(Type.String({ description }));
const time = (description: string) => Type.String({ format: "date-time", description });

/** A sign-in, or consecutive equal ones, as operators see it. */
export const DecisionRecord = Type.Object(
  {
    time: time("Time of the last one."),
    first_time: time("Time of the first one; equal to `time` if there was one."),
    count: Type.Integer({ minimum: 1, description: "Number of consecutive equal sign-ins." }),
    outcome: Type.String({ description: "ok, denied, blocked or undecided (a temporary failure)." }),
    reason: optional("Reason of an outcome other than ok, as in the log."),
    text: Type.String({ description: "The outcome in words." }),
    rule: optional("Brute-force rule that banned the network."),
    channel: Type.String({
      description: "mail, browser (the sign-in pages), jwt, or mail_server (verified and reported by a mail server).",
    }),
    step: optional("Step of a sign-in on the pages: password, totp, recovery, webauthn or passkey."),
    protocol: Type.String(),
    client: optional("Application that the sign-in was for, or the mail program that the mail server named."),
    client_ip: Type.String({ description: "Address of the client. Empty if unknown." }),
    account: optional("Account. Absent if nothing showed that it exists."),
    username: optional("Name as typed, if it is not the account's."),
    instance: Type.String({ description: "Process that decided." }),
    session: Type.String({ description: "GUID of the last request. References begin with it." }),
  },
  { title: "DecisionRecord" },
);
export type DecisionRecord = Static<typeof DecisionRecord>;

export const DecisionHistoryPage = Type.Object(
  {
    records: Type.Array(DecisionRecord, { description: "Newest first." }),
    next: optional("Value of the query parameter cursor for the next page. Absent on the last page."),
    incomplete: Type.Optional(
      Type.Array(Type.String(), { description: "Why records may be missing. Absent if none are." }),
    ),
  },
  { title: "DecisionHistoryPage" },
);
export type DecisionHistoryPage = Static<typeof DecisionHistoryPage>;

export const BanRecord = Type.Object(
  {
    network: Type.String(),
    rule: Type.String(),
    start: time("Start of the ban."),
    end: time("End of the ban."),
    failures: Type.Optional(
      Type.Integer({ minimum: 1, description: "Value of failed_requests of the rule. Absent for a former rule." }),
    ),
  },
  { title: "Ban" },
);
export type BanRecord = Static<typeof BanRecord>;

export const BanRecordPage = Type.Object(
  {
    bans: Type.Array(BanRecord),
    total: Type.Integer({ minimum: 0, description: "Number of bans in force, by any rule." }),
    next: optional("Value of the query parameter cursor for the next page. Absent on the last page."),
  },
  { title: "BanPage" },
);
export type BanRecordPage = Static<typeof BanRecordPage>;

export const Attacks = Type.Object(
  {
    minutes: Type.Array(
      Type.Object({
        time: time("Begin of the minute."),
        ok: Type.Integer(),
        denied: Type.Integer(),
        blocked: Type.Integer(),
        undecided: Type.Integer(),
      }),
      { description: "Decisions per minute, oldest first. Empty while none were recorded." },
    ),
    networks: Type.Array(
      Type.Object({
        network: Type.String(),
        failures: Type.Integer({ description: "Failures that count, each wrong password of an account once." }),
        repeated: Type.Optional(
          Type.Integer({ description: "Repetitions of a wrong password, as of a device with an old password." }),
        ),
        refused: Type.Optional(Type.Integer({ description: "Sign-ins that a ban refused." })),
      }),
      {
        description:
          "Networks (IPv4 /24, IPv6 /48) with most failures that count in this hour and the one before, the first with the most.",
      },
    ),
    accounts: Type.Array(
      Type.Object({
        account: Type.String({ description: "Name for which wrong passwords were sent." }),
        addresses: Type.Integer({ description: "Number of addresses that sent them, at most 1000." }),
        wrong_passwords: Type.Optional(
          Type.Integer({
            description:
              "Distinct wrong passwords, if known. One is rather an old password on a device than an attack.",
          }),
        ),
        delayed_until: Type.Optional(Type.String({ format: "date-time" })),
      }),
      { description: "Some accounts for which wrong passwords were sent, those with most addresses first." },
    ),
  },
  { title: "Attacks" },
);
export type Attacks = Static<typeof Attacks>;

const ExplanationCause = Type.Object(
  {
    kind: Type.String({ description: "disabled, unknown, ban, factor (a limit of a second factor), hold or delay." }),
    text: Type.String({ description: "The cause in a sentence. Times are in UTC." }),
    end: Type.Optional(time("When it ends by itself. Absent if it does not.")),
    remedy: optional("What would help, in a sentence."),
    command: optional("Command of the remedy."),
    action: optional("Action of the console that is the remedy."),
    target: optional("Account or network that the action is for."),
  },
  { title: "ExplanationCause" },
);
export type ExplanationCause = Static<typeof ExplanationCause>;

export const Explanation = Type.Object(
  {
    query: Type.String(),
    kind: Type.String({ description: "account, address, network or reference." }),
    state: Type.String({
      description:
        "blocked, delayed, limited (some sign-ins are refused), denied (the last sign-in), undecided (the last sign-in), lifted (the cause of the last failure has ended), working (the last sign-in succeeded) or unknown (no record).",
    }),
    verdict: Type.String({ description: "The answer in a sentence. Times are in UTC." }),
    remedy: optional("What would help, in a sentence. Absent if nothing is to be done."),
    causes: Type.Optional(
      Type.Array(ExplanationCause, { description: "Everything that refuses or delays sign-ins now, the worst first." }),
    ),
    account: optional("Account of this name in the backends, or of the reference."),
    bans: Type.Array(BanRecord, {
      description: "Bans in force of the networks asked for, or of the account's addresses.",
    }),
    delay: Type.Optional(
      Type.Object(
        { wrong_passwords: Type.Integer(), until: Type.String({ format: "date-time" }) },
        { description: "Delay of responses to networks that the account does not know." },
      ),
    ),
    last_success: Type.Optional(DecisionRecord),
    last_failures: Type.Array(DecisionRecord, { description: "Latest sign-ins that did not succeed, at most 10." }),
    guessing_addresses: Type.Array(Type.String(), {
      description: "Addresses that sent wrong passwords for the account, the latest first, at most 100.",
    }),
    other_accounts: Type.Array(Type.String(), {
      description: "Other accounts that signed in from the network, at most 20.",
    }),
    incomplete: Type.Array(Type.String(), { description: "What could not be determined, and why." }),
  },
  { title: "Explanation" },
);
export type Explanation = Static<typeof Explanation>;
