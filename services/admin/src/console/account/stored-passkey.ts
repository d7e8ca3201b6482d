/** What operators may see of a stored credential. */
export interface StoredPasskey {
  /** Empty if the text is not a credential with an id. */
  readonly id: string;
  readonly name: string;
  /** ISO 8601. */
  readonly created: string | undefined;
  readonly lastUsed: string | undefined;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function timeOf(value: unknown): string | undefined {
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

/** Provisioning may have stored a credential that is not what the sign-in pages write. */
export function storedPasskey(text: string): StoredPasskey {
  try {
    const { id, name, created, lastUsed } = Object(JSON.parse(text));
    return { id: textOf(id), name: textOf(name), created: timeOf(created), lastUsed: timeOf(lastUsed) };
  } catch {
    return { id: "", name: "", created: undefined, lastUsed: undefined };
  }
}
