/** What the databases write differently. */
export type SqlDialect = "sqlite" | "postgresql" | "mysql";

/** A name of a column, quoted. */
export function quoteName(name: string, dialect: SqlDialect): string {
  return dialect === "mysql" ? `\`${name.replaceAll("`", "``")}\`` : `"${name.replaceAll('"', '""')}"`;
}

/** Text in the order of its bytes or code points, whatever the column's own collation takes for equal. */
export function inBinaryOrder(expression: string, dialect: SqlDialect): string {
  if (dialect === "sqlite") return `${expression} COLLATE BINARY`;
  if (dialect === "postgresql") return `CAST(${expression} AS text) COLLATE "C"`;
  return `CONVERT(${expression} USING utf8mb4) COLLATE utf8mb4_bin`;
}

/** The same rows, to select from. A comment that ends the site's query ends with its line. */
export function asTable(statement: string): string {
  return `(${statement.replace(/[;\s]+$/, "")}\n) AS site`;
}
