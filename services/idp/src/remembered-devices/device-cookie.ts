import type { CookieEntry } from "@postern/shared/domain/remembered-devices";

/** Accounts that share a browser. */
const maxEntries = 4;
const form = /^([\w-]{16})\.([\w-]{22})\.([\w-]{22})$/;

export function writeEntry({ id, key, token }: CookieEntry): string {
  return `${id}.${key}.${token}`;
}

/** Undefined for any other text. */
export function readEntry(text: string): CookieEntry | undefined {
  const [, id, key, token] = form.exec(text) ?? [];
  return id === undefined || key === undefined || token === undefined ? undefined : { id, key, token };
}

/** The entries in the value of the cookie, one for each account that is remembered in this browser: `<id>.<key>.<token>~…`, at most four. */
export function readEntries(value: string | undefined): readonly CookieEntry[] {
  return (value ?? "")
    .split("~", maxEntries)
    .map((text) => readEntry(text))
    .filter((entry) => entry !== undefined);
}

/** The value with this entry first, in place of the one with its id; the last one is dropped if there are too many. */
export function withEntry(value: string | undefined, entry: CookieEntry): string {
  const others = readEntries(value).filter(({ id }) => id !== entry.id);
  return [entry, ...others]
    .slice(0, maxEntries)
    .map((one) => writeEntry(one))
    .join("~");
}
