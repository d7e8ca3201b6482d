import { operations } from "../../contracts/index.ts";

const canonical: ReadonlyMap<string, string> = new Map(
  operations.flatMap(({ path, anyCase }) => (anyCase === true ? [[path.toLowerCase(), path] as const] : [])),
);
const longest = Math.max(...[...canonical.keys()].map(({ length }) => length));
const pathEnd = /[?#]/;

/** The URL of a request with the operation's own spelling of its path, where the operation ignores the case of letters. */
export function withKnownCase(url: string): string {
  const end = url.search(pathEnd);
  const length = end === -1 ? url.length : end;
  if (length > longest) return url;
  const known = canonical.get(url.slice(0, length).toLowerCase());
  return known === undefined ? url : known + url.slice(length);
}
