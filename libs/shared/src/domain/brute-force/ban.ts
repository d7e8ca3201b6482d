/** A banned network. Times in epoch milliseconds. */
export interface Ban {
  readonly rule: string;
  readonly network: string;
  readonly bannedAtMs: number;
  readonly expiresAtMs: number;
}

/** The value of a ban key, as the counting script writes it: `bannedAt expiresAt network rule`. */
export function parseBan(value: string): Ban | undefined {
  const match = /^(\d+) (\d+) (\S+) (.+)$/su.exec(value);
  if (match === null) return undefined;
  const [, bannedAt = "", expiresAt = "", network = "", rule = ""] = match;
  return { rule, network, bannedAtMs: Number(bannedAt), expiresAtMs: Number(expiresAt) };
}
