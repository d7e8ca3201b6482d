import { AppError } from "@postern/shared/errors";
import type { DirectoryQuery } from "../directory.ts";
import type { SqlDialect } from "./dialect.ts";
import { mfaParameters, mfaStatementNames } from "./mfa-statements.ts";
import { toPositional } from "./placeholders.ts";
import type { SqlDirectorySettings, SqlMfaSettings } from "./settings.ts";
import { findStatementParameters } from "./statement-parameters.ts";

const userQueryParameters = ["username", "localpart", "domain", "protocol"];
const listQueryParameters = ["protocol"];
const upgradeParameters = ["account", "password", "old_password"];

/** The values of a user query. Without an `@` the whole name is the local part and the domain is empty. */
export function toQueryParameters({ username, protocol }: DirectoryQuery): Readonly<Record<string, string>> {
  const at = username.lastIndexOf("@");
  const localpart = at === -1 ? username : username.slice(0, at);
  const domain = at === -1 ? "" : username.slice(at + 1);
  return { username, localpart, domain, protocol };
}

/** Throws `CONFIG_INVALID` for a search that could never work, or that would release its passwords. */
export function checkSearches({ name, searches }: SqlDirectorySettings, dialect: SqlDialect): void {
  const parametersOf = (statement: string): readonly string[] =>
    dialect === "sqlite"
      ? findStatementParameters(statement)
      : toPositional(statement, dialect).names.map((parameter) => `:${parameter}`);
  const refuse = (problem: string): never => {
    throw new AppError("CONFIG_INVALID", { detail: `SQL directory ${name}: ${problem}` });
  };
  if (searches.length === 0) refuse("no search");
  for (const search of searches) {
    checkParameters(parametersOf(search.userQuery), userQueryParameters, refuse);
    if (search.listAccountsQuery !== undefined)
      checkParameters(parametersOf(search.listAccountsQuery), listQueryParameters, refuse);
    if (search.upgradePasswordQuery !== undefined)
      checkParameters(parametersOf(search.upgradePasswordQuery), upgradeParameters, refuse);
    checkMfaStatements(search.mfa, parametersOf, refuse);
    if ([...search.attributes, search.accountField, search.totpSecretField].includes(search.passwordColumn)) {
      refuse(`the password column ${search.passwordColumn} must not be released`);
    }
  }
}

function checkMfaStatements(
  mfa: SqlMfaSettings | undefined,
  parametersOf: (statement: string) => readonly string[],
  refuse: (problem: string) => never,
): void {
  for (const name of mfaStatementNames) {
    const statement = mfa?.statements[name];
    if (statement === undefined) continue;
    const refuseIt = (problem: string): never => refuse(`mfa.queries.${name}: ${problem}`);
    checkParameters(parametersOf(statement), ["account", ...mfaParameters[name]], refuseIt);
  }
}

function checkParameters(used: readonly string[], known: readonly string[], refuse: (problem: string) => never): void {
  const unknown = used.filter((parameter) => !known.includes(namedBy(parameter)));
  const expected = known.map((parameter) => `:${parameter}`).join(", ");
  if (unknown.length > 0) refuse(`unknown parameter ${unknown.join(", ")}; a query may use ${expected}`);
}

function namedBy(parameter: string): string {
  return parameter.startsWith(":") ? parameter.slice(1) : "";
}
