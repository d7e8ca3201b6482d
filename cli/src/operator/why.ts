import type { Explanation, ExplanationCause } from "@postern/shared/contracts";
import { printable, table } from "../table.ts";
import { readExplanation } from "./answers.ts";
import { type Api, ApiError } from "./api.ts";
import { banTable } from "./bans.ts";
import { decisionTable } from "./decision-rows.ts";
import { askDomain, domainLine } from "./domains.ts";
import { askFailedSignIn, type FailedSignIn, failedSignInLines } from "./failed-sign-in.ts";
import { isReference } from "./operand-kind.ts";
import type { OperatorCommand, Shown } from "./operator-command.ts";

function delayTable({ account, query, delay }: Explanation): readonly string[] {
  if (delay === undefined) return [];
  const row = [account ?? query, String(delay.wrong_passwords), delay.until];
  return table(["DELAYED ACCOUNT", "WRONG PASSWORDS", "UNTIL"], [row]);
}

function listed(title: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : [printable(`${title}: ${values.join(" ")}`)];
}

/** Blocks of lines with an empty line between them. */
function blocks(...all: readonly (readonly string[])[]): readonly string[] {
  return all.filter((lines) => lines.length > 0).flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

/** Everything in force, and below it what would help. */
const causeLines = ({ text, remedy }: ExplanationCause): readonly string[] => [
  printable(`- ${text}`),
  ...(remedy === undefined ? [] : [printable(`  ${remedy}`)]),
];

/** What `postern why` prints. */
export function explanationLines(answer: Explanation): readonly string[] {
  const { verdict, remedy, causes: all = [], bans, last_success: success, last_failures: failures } = answer;
  // A single cause is in the sentence of the verdict already.
  const causes = all.length === 1 && all[0]?.remedy === remedy ? [] : all;
  const records = success === undefined ? failures : [success, ...failures];
  return blocks(
    [printable(verdict), ...(remedy === undefined || causes.length > 0 ? [] : [printable(remedy)])],
    causes.flatMap(causeLines),
    bans.length === 0 ? [] : banTable(bans),
    delayTable(answer),
    records.length === 0 ? [] : decisionTable(records.toSorted((a, b) => b.time.localeCompare(a.time))),
    [
      ...listed("wrong passwords were sent from", answer.guessing_addresses),
      ...listed("other accounts of this network", answer.other_accounts),
      ...answer.incomplete.map((reason) => printable(`incomplete: ${reason}`)),
    ],
  );
}

/** The identity provider's record of a failed step. Undefined without one, and while the identity provider is unavailable. */
async function failedSignInOf(api: Api, subject: string): Promise<FailedSignIn | undefined> {
  if (!isReference(subject)) return undefined;
  try {
    return await askFailedSignIn(api, subject);
  } catch (error) {
    if (error instanceof ApiError && error.status >= 500) return undefined;
    throw error;
  }
}

/** Which record of auth.domains applies to an account. Nothing from services of an earlier version, and for callers that may not ask. */
async function domainLines(api: Api, { kind, query }: Explanation): Promise<readonly string[]> {
  const at = query.lastIndexOf("@");
  if (kind !== "account" || at === -1) return [];
  const domain = query.slice(at + 1).trim();
  try {
    const report = await askDomain(api, domain);
    if (report === undefined) return ["", printable(`domain ${domain}: not served, or not shown to this caller`)];
    return report.origin === "none" ? [] : ["", printable(`domain ${domainLine(domain, report)}`)];
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

const wrong: ReadonlySet<string> = new Set(["blocked", "delayed", "limited", "denied", "undecided"]);

function unknownReference(subject: string): readonly string[] {
  return [
    "",
    `no failed sign-in with the reference ${printable(subject)} is stored`,
    "References are stored for seven days. Search the log for a `session` that begins with it.",
  ];
}

async function explained(api: Api, subject: string): Promise<Shown> {
  const answer = readExplanation(await api.ask("explain", { query: { query: subject } }));
  const isUnknownReference = answer.kind === "reference" && answer.state === "unknown";
  // Without a decision history, the identity provider still has the failures of its pages.
  const failed = isUnknownReference ? await failedSignInOf(api, subject) : undefined;
  if (failed !== undefined) return { exitCode: 1, lines: failedSignInLines(failed), json: failed };
  return {
    exitCode: wrong.has(answer.state) || isUnknownReference ? 1 : 0,
    lines: [
      ...explanationLines(answer),
      ...(await domainLines(api, answer)),
      ...(isUnknownReference ? unknownReference(subject) : []),
    ],
    json: answer,
  };
}

export const whyCommand: OperatorCommand = {
  usage: "why ACCOUNT|ADDRESS|NETWORK|REFERENCE",
  summary: "show why an account or an address is refused, or why a sign-in failed",
  help: [
    "Prints the answer in a sentence, then everything that is in force with its end and what would help, then bans,",
    "delays and the latest sign-ins.",
    "ACCOUNT: bans of the addresses that the account uses, and wrong passwords that were sent for it.",
    "ADDRESS, NETWORK: the bans, and the accounts that sign in from there.",
    "REFERENCE: why the sign-in failed whose page showed this reference. References are stored for seven days.",
    "Sign-ins are shown if observability.decision_history is enabled. The exit code is 1 if there is a ban, a delay or a",
    "failed sign-in. The request is audited.",
  ],
  operands: { min: 1, max: 1 },
  run: ({ api, operands: [subject = ""] }) => explained(api, subject),
};
