/**
 * A protocol name in its canonical form: lower case and trimmed, because mail servers and configurations write both `IMAP` and `imap`.
 */
export function normalisedProtocol(name: string): string {
  return name.trim().toLowerCase();
}
