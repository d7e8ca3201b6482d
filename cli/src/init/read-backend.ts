import type { BackendAnswers } from "./answers.ts";
import type { Ask } from "./ask.ts";
import type { InitFlags } from "./flags.ts";
import { InitProblem } from "./init-problem.ts";

const defaultQuery = "SELECT username AS account, password FROM users WHERE username = :username";
const enabledQuery =
  "SELECT username AS account, password, display_name, id FROM users WHERE username = :username AND enabled = 1";
const ports = { postgresql: 5432, mysql: 3306 } as const;

async function required(ask: Ask, flag: string, text: string): Promise<string> {
  const answer = await ask({ text });
  if (answer === undefined || answer === "") throw new InitProblem(`--${flag} is missing`);
  return answer;
}

async function readLdap(server: string, flags: InitFlags, ask: Ask): Promise<BackendAnswers> {
  const baseDn = flags["base-dn"] ?? (await required(ask, "base-dn", "DN below which the accounts are"));
  const bindDn =
    flags["bind-dn"] ??
    (await ask({ text: "DN of the service account that searches (empty: anonymous)", fallback: "" }));
  const filter =
    flags.filter ??
    (await ask({
      text: "LDAP filter that finds a user by the typed name",
      fallback: "(|(mail=%L{user})(uid=%L{user}))",
    }));
  return {
    kind: "ldap",
    server,
    baseDn,
    bindDn: bindDn ?? "",
    filter: filter ?? "",
    accountAttribute: flags.account ?? "mail",
    uniqueId: flags["unique-id"] ?? "entryUUID",
    caFile: flags["backend-ca"],
  };
}

async function readSql(url: URL, driver: "postgresql" | "mysql", flags: InitFlags, ask: Ask): Promise<BackendAnswers> {
  const database = decodeURIComponent(url.pathname.slice(1));
  if (url.username === "" || database === "")
    throw new InitProblem(`--backend must have the form ${driver}://USER@HOST/DATABASE`);
  if (url.password !== "") throw new InitProblem("--backend contains a password: use --backend-password-file");
  const query =
    flags.query ?? (await ask({ text: "SQL statement that returns account and password", fallback: defaultQuery }));
  return {
    kind: "sql",
    driver,
    server: url.port === "" ? `${url.hostname}:${ports[driver]}` : url.host,
    database,
    user: decodeURIComponent(url.username),
    query: query ?? defaultQuery,
    uniqueId: flags["unique-id"] ?? "",
    caFile: flags["backend-ca"],
  };
}

const backendQuestion =
  "Where the accounts are (ldaps://HOST, postgresql://USER@HOST/DATABASE, mysql://USER@HOST/DATABASE, sqlite:/PATH)";

const notBackend = (text: string): string => `--backend ${text} is not a URL of LDAP, PostgreSQL, MySQL or SQLite`;

/** @throws InitProblem */
export async function readBackend(flags: InitFlags, ask: Ask): Promise<BackendAnswers> {
  const text = flags.backend ?? (await required(ask, "backend", backendQuestion));
  const url = URL.parse(text);
  if (url === null) throw new InitProblem(notBackend(text));
  switch (url.protocol) {
    case "ldap:":
    case "ldaps:":
    case "ldapi:":
      return readLdap(text, flags, ask);
    case "postgresql:":
    case "mysql:":
      return readSql(url, url.protocol === "mysql:" ? "mysql" : "postgresql", flags, ask);
    case "sqlite:":
      return { kind: "sqlite", file: decodeURIComponent(url.pathname), query: flags.query ?? enabledQuery };
    default:
      throw new InitProblem(notBackend(text));
  }
}
