/** `name` is undefined until it is needed. */
export interface Group {
  readonly dn: string;
  readonly name: string | undefined;
}

const firstRdn = /^\s*([a-z][a-z0-9-]*|\d+(?:\.\d+)+)\s*=\s*((?:\\.|[^,+\\])*)/is;

/** The first attribute and value of a DN (RFC 4514), unescaped; undefined for anything but a DN. */
export function leadingRdn(dn: string): { readonly type: string; readonly value: string } | undefined {
  const [, type, raw] = firstRdn.exec(dn) ?? [];
  if (type === undefined || raw === undefined) return undefined;
  return { type, value: unescapeDnValue(raw.trimEnd()) };
}

/** RFC 4514 section 2.4: `\hh` are bytes of UTF-8; any other escaped character stands for itself. */
function unescapeDnValue(text: string): string {
  return text.replaceAll(/(?:\\[0-9a-f]{2})+|\\(.)/gis, (run: string, char: string | undefined) =>
    char === undefined ? Buffer.from(run.replaceAll("\\", ""), "hex").toString("utf8") : char,
  );
}
