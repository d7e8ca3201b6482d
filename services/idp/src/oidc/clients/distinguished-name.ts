/** An attribute of a name: type in upper case, value without escapes. */
type Attribute = readonly [type: string, value: string];

const hexByte = /^[0-9A-Fa-f]{2}$/;

/** Undoes the escapes of RFC 4514 §2.4. Undefined for a value that is not text, or that ends within an escape. */
function unescaped(text: string): string | undefined {
  if (text.startsWith("#")) return undefined;
  const bytes: Buffer[] = [];
  for (let at = 0; at < text.length; ) {
    const [letter = ""] = text.slice(at);
    if (letter !== "\\") {
      bytes.push(Buffer.from(letter));
      at += letter.length;
      continue;
    }
    const hex = text.slice(at + 1, at + 3);
    const [next] = text.slice(at + 1);
    if (next === undefined) return undefined;
    bytes.push(hexByte.test(hex) ? Buffer.from(hex, "hex") : Buffer.from(next));
    at += 1 + (hexByte.test(hex) ? 2 : next.length);
  }
  return Buffer.concat(bytes).toString("utf8");
}

/** Parts between separators that no backslash precedes. */
function split(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let part = "";
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === "\\") {
      part += letter + text.charAt(at + 1);
      at += 1;
    } else if (letter === separator) {
      parts.push(part);
      part = "";
    } else part += letter;
  }
  return [...parts, part];
}

/** Whether the text ends with a backslash that no other one escapes. */
const endsInEscape = /(?:^|[^\\])(?:\\\\)*\\$/;

/** Spaces around an attribute do not belong to it, unless a backslash precedes the last one. */
function trimmed(text: string): string {
  const end = text.replaceAll(/^ +| +$/g, "");
  return endsInEscape.test(end) && text.endsWith(" ") ? `${end} ` : end;
}

function attributeOf(text: string): Attribute | undefined {
  const equals = text.indexOf("=");
  if (equals < 1) return undefined;
  const value = unescaped(trimmed(text.slice(equals + 1)));
  return value === undefined ? undefined : [text.slice(0, equals).trim().toUpperCase(), value];
}

/** One relative name: its attributes in an order that does not depend on how they are written. */
function relativeName(text: string): string | undefined {
  const attributes = split(text, "+").map((part) => attributeOf(part));
  if (attributes.includes(undefined)) return undefined;
  return JSON.stringify(attributes.map((attribute) => JSON.stringify(attribute)).toSorted());
}

/**
 * Whether a name in the form of RFC 4514 (most specific part first) is the subject of a certificate as Node prints it: one
 * line for each part, most general part first. Values are compared exactly.
 */
export function matchesSubject(name: string, subject: string): boolean {
  const wanted = split(name, ",").map((part) => relativeName(part));
  const found = subject.split("\n").map((line) => relativeName(line));
  if (wanted.includes(undefined) || found.includes(undefined)) return false;
  return JSON.stringify(wanted) === JSON.stringify(found.toReversed());
}
