import { SaxesParser, type SaxesTagNS } from "saxes";
import { SamlRefusal } from "../protocol/refusal.ts";
import { messageLimits } from "./limits.ts";

/** Limits of a document, and whether comments may occur between its elements. */
export interface XmlRules {
  readonly documentBytes: number;
  readonly depth: number;
  readonly nodes: number;
  readonly attributesOfElement: number;
  /** Never within a value, because parsers read such a value differently. */
  readonly allowsComments: boolean;
}

const messageRules: XmlRules = Object.freeze({ ...messageLimits, allowsComments: false });

/** An element of a message. */
export interface XmlElement {
  readonly name: string;
  readonly namespace: string;
  /** Attributes without a namespace, by name. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text, without its children's. */
  readonly text: string;
}

interface Building extends XmlElement {
  readonly children: Building[];
  text: string;
  hasComment: boolean;
}

function forbidden(what: string): never {
  throw new SamlRefusal("forbidden_xml", what);
}

interface Counter {
  nodes: number;
  readonly rules: XmlRules;
}

function elementOf({ local, uri, attributes }: SaxesTagNS, counter: Counter): Building {
  const listed = Object.values(attributes);
  counter.nodes += 1 + listed.length;
  if (counter.nodes > counter.rules.nodes) throw new SamlRefusal("too_large", "too many nodes");
  if (listed.length > counter.rules.attributesOfElement) throw new SamlRefusal("too_large", "too many attributes");
  const plain = listed.filter((attribute) => attribute.prefix === "" && attribute.local !== "xmlns");
  return {
    name: local,
    namespace: uri,
    attributes: new Map(plain.map((attribute) => [attribute.local, attribute.value])),
    children: [],
    text: "",
    hasComment: false,
  };
}

/** Ids to which a signature may refer. A value must name one element, whatever the attribute is called. */
function noteIds(tag: SaxesTagNS, seen: Set<string>): void {
  for (const { local, value } of Object.values(tag.attributes)) {
    if (local.toLowerCase() !== "id") continue;
    if (seen.has(value)) throw new SamlRefusal("structure", "an ID occurs twice");
    seen.add(value);
  }
}

interface Open {
  readonly stack: Building[];
  readonly roots: Building[];
  readonly rules: XmlRules;
}

function openElement({ stack, roots, rules }: Open, element: Building): void {
  const parent = stack.at(-1);
  if (parent === undefined) roots.push(element);
  else parent.children.push(element);
  stack.push(element);
  if (stack.length > rules.depth) throw new SamlRefusal("too_large", "nested too deeply");
}

function closeElement({ stack }: Open): void {
  const closed = stack.pop();
  if (closed?.hasComment === true && closed.text.trim() !== "") forbidden("comment within a value");
}

function meetComment({ stack, rules }: Open): void {
  if (!rules.allowsComments) forbidden("comment");
  const current = stack.at(-1);
  if (current !== undefined) current.hasComment = true;
}

/** Rejects everything in XML except elements, attributes and text before it is processed. */
function refuseTheRest(parser: SaxesParser<{ xmlns: true }>): void {
  parser.on("doctype", () => forbidden("DOCTYPE"));
  parser.on("processinginstruction", () => forbidden("processing instruction"));
  parser.on("cdata", () => forbidden("CDATA section"));
  parser.on("xmldecl", ({ version, encoding }) => {
    if (version !== "1.0") forbidden("XML version");
    if (encoding !== undefined && encoding.toLowerCase() !== "utf-8") forbidden("encoding");
  });
  parser.on("error", (error) => {
    throw new SamlRefusal("not_xml", error.message.slice(0, 200));
  });
}

/**
 * Reads a message strictly: well-formed, with namespaces, within the limits and with unique IDs; without a DTD,
 * entities other than the predefined five, processing instructions, comments and CDATA.
 * @param rules the limits; by default those of messages
 * @throws SamlRefusal
 */
export function parseXml(text: string, rules: XmlRules = messageRules): XmlElement {
  if (Buffer.byteLength(text) > rules.documentBytes) throw new SamlRefusal("too_large", "document");
  const parser = new SaxesParser({ xmlns: true, fragment: false });
  const open: Open = { stack: [], roots: [], rules };
  const counter = { nodes: 0, rules };
  const seen = new Set<string>();
  refuseTheRest(parser);
  parser.on("opentag", (tag) => {
    noteIds(tag, seen);
    openElement(open, elementOf(tag, counter));
  });
  parser.on("comment", () => meetComment(open));
  parser.on("closetag", () => closeElement(open));
  parser.on("text", (piece) => {
    const current = open.stack.at(-1);
    if (current !== undefined) current.text += piece;
  });
  parser.write(text).close();
  const [root] = open.roots;
  if (root === undefined) throw new SamlRefusal("not_xml", "no root element");
  return root;
}

export function isElement(element: XmlElement | undefined, namespace: string, name: string): boolean {
  return element !== undefined && element.namespace === namespace && element.name === name;
}

export function childrenOf(element: XmlElement, namespace: string, name: string): readonly XmlElement[] {
  return element.children.filter((child) => isElement(child, namespace, name));
}

/** The only child with this name, or undefined; two are rejected. */
export function childOf(element: XmlElement, namespace: string, name: string): XmlElement | undefined {
  const found = childrenOf(element, namespace, name);
  if (found.length > 1) throw new SamlRefusal("structure", `${name} occurs twice`);
  return found[0];
}

/** The trimmed text of an element without children. */
export function textOf(element: XmlElement): string {
  if (element.children.length > 0) throw new SamlRefusal("structure", `${element.name} must contain only text`);
  return element.text.trim();
}

export function requiredAttribute(element: XmlElement, name: string): string {
  const value = element.attributes.get(name);
  if (value === undefined || value === "") throw new SamlRefusal("structure", `${element.name} lacks ${name}`);
  return value;
}
