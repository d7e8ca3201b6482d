/** Text, quoted names and comments, in which a colon has no meaning; `::` is PostgreSQL's cast. */
const token =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?(?:\*\/|$)|::|\w[\w$]*|([:@$][A-Za-z_]\w*|\?\d*)/g;

/** The parameters of an SQL statement as written (`:username`, `?1`), each once. */
export function findStatementParameters(statement: string): readonly string[] {
  const names = [...statement.matchAll(token)].flatMap(([, parameter]) => parameter ?? []);
  return [...new Set(names)];
}
