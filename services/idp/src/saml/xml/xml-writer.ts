/**
 * Writes XML in the form of exclusive canonicalization (W3C xml-exc-c14n): namespaces where they are first used,
 * attributes in order, no empty-element tags. The signed text is therefore exactly what is sent, and no parser is needed.
 */

const markup = Symbol("xml");

/** Markup created by this writer; everything else in a message is escaped. */
export interface Xml {
  readonly [markup]: string;
}

/**
 * Characters that XML 1.0 cannot contain, and U+0085 and U+2028, which some parsers treat as line ends (XML 1.1), which
 * would break the signature.
 */
const unwritable = /[^\t\n\r\u0020-\u0084\u0086-\u2027\u2029-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const textEscapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;" };
const attributeEscapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  '"': "&quot;",
  "\t": "&#x9;",
  "\n": "&#xA;",
  "\r": "&#xD;",
};

function escaped(value: string, pattern: RegExp, table: Readonly<Record<string, string>>): string {
  return value.replaceAll(unwritable, "\ufffd").replaceAll(pattern, (character) => table[character] ?? "");
}

function xmlText(value: string): Xml {
  return { [markup]: escaped(value, /[&<>\r]/g, textEscapes) };
}

export function xmlOf(...parts: readonly (Xml | undefined)[]): Xml {
  return { [markup]: parts.map((part) => (part === undefined ? "" : part[markup])).join("") };
}

export function xmlString(xml: Xml): string {
  return xml[markup];
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Attributes without prefix, in any order; undefined ones are omitted. Sorted with `xmlns` names first. */
export type XmlAttributes = Readonly<Record<string, string | undefined>>;

const isNamespace = (name: string): boolean => name.startsWith("xmlns");

function attributesOf(attributes: XmlAttributes): string {
  const listed = Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const ordered = listed.toSorted(
    (a, b) => Number(isNamespace(b.name)) - Number(isNamespace(a.name)) || order(a.name, b.name),
  );
  return ordered.map(({ name, value }) => ` ${name}="${escaped(value, /[&<"\t\n\r]/g, attributeEscapes)}"`).join("");
}

/** `<name attributes>children</name>`; escapes texts among the children. */
export function element(
  name: string,
  attributes: XmlAttributes,
  ...children: readonly (Xml | string | undefined)[]
): Xml {
  const inner = xmlOf(...children.map((child) => (typeof child === "string" ? xmlText(child) : child)));
  return { [markup]: `<${name}${attributesOf(attributes)}>${inner[markup]}</${name}>` };
}
