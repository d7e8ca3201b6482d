/** Syntax that differs between the databases. */
export type SqlDialect = "sqlite" | "postgresql" | "mysql";

/** A quoted column name. */
export function quoteName(name: string, dialect: SqlDialect): string {
  return dialect === "mysql" ? `\`${name.replaceAll("`", "``")}\`` : `"${name.replaceAll('"', '""')}"`;
}

/** Text in the order of its bytes or code points, independent of the column's collation. */
export function inBinaryOrder(expression: string, dialect: SqlDialect): string {
  if (dialect === "sqlite") return `${expression} COLLATE BINARY`;
  if (dialect === "postgresql") return `CAST(${expression} AS text) COLLATE "C"`;
  return `CONVERT(${expression} USING utf8mb4) COLLATE utf8mb4_bin`;
}

/** The site's query as a table to select from. A comment at the end of the query ends with its line. */
export function asTable(statement: string): string {
  return `(${statement.replace(/[;\s]+$/, "")}\n) AS site`;
}

/** A statement in the driver's syntax, with the names of its values in order. */
export interface PositionalStatement {
  readonly text: string;
  readonly names: readonly string[];
}

/**
 * Matches text, quoted names and comments, in which a colon has no meaning; then what looks like a parameter but is not
 * (a cast, an assignment); then `:name`. PostgreSQL has `$tag$…$tag$`, `E'\''` and nested comments; MySQL has
 * backslashes in text, `#` comments, and text in double quotes.
 */
const tokens: Readonly<Record<Exclude<SqlDialect, "sqlite">, RegExp>> = {
  postgresql:
    /\b[eE]'(?:[^'\\]|\\[^]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?<tag>\w*)\$[^]*?\$\k<tag>\$|--[^\n]*|\/\*|::|:=|\w[\w$]*|:(?<name>[A-Za-z_]\w*)/g,
  mysql:
    /'(?:[^'\\]|\\[^]|'')*'|"(?:[^"\\]|\\[^]|"")*"|`(?:[^`]|``)*`|#[^\n]*|--(?=\s|$)[^\n]*|\/\*[^]*?(?:\*\/|$)|:=|\w[\w$]*|:(?<name>[A-Za-z_]\w*)/g,
};

/**
 * Replaces named parameters with the driver's placeholders, one for each occurrence, so that PostgreSQL may infer a
 * different type for each. Only names are handled; values never enter the text.
 */
export function toPositional(statement: string, dialect: Exclude<SqlDialect, "sqlite">): PositionalStatement {
  const names: string[] = [];
  let text = "";
  let from = 0;
  const pattern = new RegExp(tokens[dialect]);
  for (let match = pattern.exec(statement); match !== null; match = pattern.exec(statement)) {
    const [token] = match;
    if (token === "/*") pattern.lastIndex = endOfComment(statement, match.index);
    const name = match.groups?.["name"];
    if (name === undefined) continue;
    names.push(name);
    text += statement.slice(from, match.index) + (dialect === "postgresql" ? `$${names.length}` : "?");
    from = match.index + token.length;
  }
  return { text: text + statement.slice(from), names };
}

/** PostgreSQL's comments nest. */
function endOfComment(statement: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(statement); mark !== null; mark = marks.exec(statement)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return statement.length;
}

/** Text, quoted names and comments, in which a colon has no meaning; `::` is PostgreSQL's cast. */
const token =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?(?:\*\/|$)|::|\w[\w$]*|([:@$][A-Za-z_]\w*|\?\d*)/g;

/** The parameters of an SQL statement as written (`:username`, `?1`), each once. */
export function findStatementParameters(statement: string): readonly string[] {
  const names = [...statement.matchAll(token)].flatMap(([, parameter]) => parameter ?? []);
  return [...new Set(names)];
}
