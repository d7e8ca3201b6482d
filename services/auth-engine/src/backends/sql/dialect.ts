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
