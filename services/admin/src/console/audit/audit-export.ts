import { type AuditFormat, AuditRecordListed } from "@postern/shared/contracts";
import type { AuditEntry } from "@postern/shared/domain/history";

/** Columns of the CSV, in the order of the schema; the `detail` of a member that this version does not know is left out. */
const columns = Object.keys(AuditRecordListed.properties);

/**
 * Spreadsheets evaluate a cell that begins with one of these characters, in some languages in their wide form too; with an apostrophe it is
 * text. Where the separator of lists is not the comma, a cell also begins after a semicolon, tab or line break within a value.
 */
const cellStart = /(^|[;|\t\r\n])(?=[" ]*[=+\-@＝＋－＠])/gu;
const blankStart = /^[\t\r\n]/u;

/** One value as RFC 4180 writes it. */
export function csvCell(value: string): string {
  const escaped = value.replaceAll(cellStart, "$1'");
  const inert = blankStart.test(escaped) ? `'${escaped}` : escaped;
  return /["\n\r,;\t]/u.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(",")}\r\n`;

interface ExportFormat {
  readonly head: string;
  readonly line: (entry: AuditEntry) => string;
}

export const exportFormats: Readonly<Record<AuditFormat, ExportFormat>> = {
  csv: { head: csvLine(columns), line: (entry) => csvLine(columns.map((name) => entry[name] ?? "")) },
  jsonl: { head: "", line: (entry) => `${JSON.stringify(entry)}\n` },
};

export function isExportFormat(text: string): text is AuditFormat {
  return Object.hasOwn(exportFormats, text);
}
