import type { SqlDialect } from "./dialect.ts";

/** A statement as its driver takes it, and the names of its values in their order. */
export interface PositionalStatement {
  readonly text: string;
  readonly names: readonly string[];
}

/**
 * Text, quoted names and comments, in which a colon means nothing, then what begins like a parameter and is none (a
 * cast, an assignment), then `:name`. PostgreSQL has `$tag$…$tag$`, `E'\''` and nested comments; MySQL has backslashes
 * in text, `#` comments, and text in double quotes.
 */
const tokens: Readonly<Record<Exclude<SqlDialect, "sqlite">, RegExp>> = {
  postgresql:
    /\b[eE]'(?:[^'\\]|\\[^]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?<tag>\w*)\$[^]*?\$\k<tag>\$|--[^\n]*|\/\*|::|:=|\w[\w$]*|:(?<name>[A-Za-z_]\w*)/g,
  mysql:
    /'(?:[^'\\]|\\[^]|'')*'|"(?:[^"\\]|\\[^]|"")*"|`(?:[^`]|``)*`|#[^\n]*|--(?=\s|$)[^\n]*|\/\*[^]*?(?:\*\/|$)|:=|\w[\w$]*|:(?<name>[A-Za-z_]\w*)/g,
};

/**
 * Named parameters become the driver's placeholders, one for each occurrence, so that PostgreSQL may take each for
 * another type. Only names are looked at: a value never comes near the text.
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
