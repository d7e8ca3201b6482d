import { AppError } from "@postern/shared/platform/errors";
import type { BackendQuery } from "../backend.ts";
import { mfaParameters } from "./factor-statements.ts";
import { findStatementParameters, type SqlDialect, toPositional } from "./placeholders.ts";
import type { SqlBackendSettings, SqlSearchSettings } from "./sql-settings.ts";

const userQueryParameters = ["username", "localpart", "domain", "protocol"];
const listQueryParameters = ["protocol"];
const upgradeParameters = ["account", "password", "old_password"];

/** The values of a user query. Without an `@` the whole name is the local part and the domain is empty. */
export function toQueryParameters({ username, protocol }: BackendQuery): Readonly<Record<string, string>> {
  const at = username.lastIndexOf("@");
  const localpart = at === -1 ? username : username.slice(0, at);
  const domain = at === -1 ? "" : username.slice(at + 1);
  return { username, localpart, domain, protocol };
}

interface Rule {
  readonly known: readonly string[];
  /** At least one of these parameters identifies the user; without any, the statement would match all users. */
  readonly oneOf: readonly string[];
}

/** `webauthn_find` matches any holder of the credential; all other statements match one account. */
function mfaRule(name: string, own: readonly string[]): Rule {
  return name === "webauthn_find" ? { known: own, oneOf: own } : { known: ["account", ...own], oneOf: ["account"] };
}

function parametersIn(statement: string, dialect: SqlDialect): readonly string[] {
  return dialect === "sqlite"
    ? findStatementParameters(statement)
    : toPositional(statement, dialect).names.map((parameter) => `:${parameter}`);
}

/** The problems of a search, at keys below `auth.backends.sql.search[]`: it could never work, would match all users, or would release its passwords. */
export function searchProblems(search: SqlSearchSettings, dialect: SqlDialect) {
  const { userQuery, listAccountsQuery, upgradePasswordQuery, mfa } = search;
  const factorStatements: Readonly<Record<string, string | undefined>> = mfa?.statements ?? {};
  const statements: readonly (readonly [key: string, statement: string | undefined, rule: Rule])[] = [
    ["queries.user", userQuery, { known: userQueryParameters, oneOf: ["username", "localpart"] }],
    ["queries.list_accounts", listAccountsQuery, { known: listQueryParameters, oneOf: [] }],
    ["queries.upgrade_password", upgradePasswordQuery, { known: upgradeParameters, oneOf: ["account"] }],
    ...Object.entries(mfaParameters).map(
      ([name, own]) => [`mfa.queries.${name}`, factorStatements[name], mfaRule(name, own)] as const,
    ),
  ];
  const problems = statements.flatMap(([key, statement, rule]) =>
    statement === undefined
      ? []
      : parameterProblems(parametersIn(statement, dialect), rule).map((reason) => ({ key, reason })),
  );
  return isReleased(search)
    ? [...problems, { key: "attribute", reason: `the password column ${search.passwordColumn} must not be released` }]
    : problems;
}

function isReleased({ attributes, accountField, totpSecretField, passwordColumn }: SqlSearchSettings): boolean {
  return [...attributes, accountField, totpSecretField].includes(passwordColumn);
}

/** Throws `CONFIG_INVALID` for a search that could never work, or that would release its passwords. */
export function checkSearches({ name, searches }: SqlBackendSettings, dialect: SqlDialect): void {
  const refuse = (problem: string): never => {
    throw new AppError("CONFIG_INVALID", { detail: `SQL backend ${name}: ${problem}` });
  };
  if (searches.length === 0) refuse("no search is configured; add an entry to auth.backends.sql.search");
  for (const search of searches) {
    const [problem] = searchProblems(search, dialect);
    if (problem !== undefined) refuse(`${problem.key}: ${problem.reason}`);
  }
}

const listed = (names: readonly string[]): string => names.map((name) => `:${name}`).join(", ");

function parameterProblems(used: readonly string[], { known, oneOf }: Rule): readonly string[] {
  const unknown = used.filter((parameter) => !known.includes(namedBy(parameter)));
  if (unknown.length > 0) return [`unknown parameter ${unknown.join(", ")}; a query may use ${listed(known)}`];
  if (oneOf.length === 0 || used.some((parameter) => oneOf.includes(namedBy(parameter)))) return [];
  return [`does not select one user: use ${listed(oneOf).replace(", ", " or ")}`];
}

function namedBy(parameter: string): string {
  return parameter.startsWith(":") ? parameter.slice(1) : "";
}
