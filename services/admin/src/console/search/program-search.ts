import type { DecisionRecord } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { t } from "../../texts/texts.ts";
import type { SubjectLinks } from "../shown-values.ts";
import { subjectOf } from "../subject.ts";

/** An account, and a mail program that it may have used. */
export interface ProgramQuery {
  readonly account: string;
  readonly program: string;
}

/** A program that was asked for, beside all programs of the account's latest sign-ins. */
export interface FoundProgram extends ProgramQuery {
  readonly programs: readonly (readonly [program: string, records: number])[];
}

/** Searches of the session in which a program without an account is looked for. */
const maxRecent = 3;

/** `alice@example.test Thunderbird 128`. Undefined for a single word. */
export function accountAndProgram(query: string): ProgramQuery | undefined {
  const [, account, program] = /^(\S+)\s+(\S.*)$/su.exec(query.trim()) ?? [];
  return account === undefined || program === undefined || subjectOf(account).kind !== "account"
    ? undefined
    : { account, program: program.trim() };
}

/** The program of one of the accounts that were searched last. Programs have no at sign; a mail address that nobody has is a typing error. */
export function programOfRecent(program: string, searches: readonly string[]): readonly ProgramQuery[] {
  if (program.includes("@")) return [];
  return searches
    .filter((search) => search !== program && !/\s/u.test(search) && subjectOf(search).kind === "account")
    .slice(0, maxRecent)
    .map((account) => ({ account, program }));
}

/** Whether the record's program has every word of what was typed, in any letter case. */
export function hasProgram({ client = "" }: Pick<DecisionRecord, "client">, program: string): boolean {
  const known = client.toLowerCase();
  return (
    known !== "" &&
    program
      .toLowerCase()
      .split(/\s+/u)
      .every((word) => known.includes(word))
  );
}

/** All programs, the most frequent first. */
export function programsOf(records: readonly DecisionRecord[]): FoundProgram["programs"] {
  const counts = new Map<string, number>();
  for (const { client = "" } of records) if (client !== "") counts.set(client, (counts.get(client) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one);
}

/** What was looked for, and links to the other programs. */
export function programNote(
  { account, program, programs }: FoundProgram,
  records: readonly DecisionRecord[],
  { search }: SubjectLinks,
): Html {
  return html`<p class="note">${t(records.length === 0 ? "search.program_none" : "search.program_found", { program })}</p>${
    programs.length > 0 &&
    html`<p>${t("search.programs")}</p><ul class="links">${programs.map(
      ([name, count]) =>
        html`<li><a href="${search(`${account} ${name}`)}">${name}</a> (${t("search.records", { count })})</li>`,
    )}</ul>`
  }`;
}
