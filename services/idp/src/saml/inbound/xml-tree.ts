import { SaxesParser, type SaxesTagNS } from "saxes";
import { SamlRefusal } from "../refusal.ts";
import { messageLimits } from "./limits.ts";

/** How much a document may hold, and whether comments may stand between its elements. */
export interface XmlRules {
  readonly documentBytes: number;
  readonly depth: number;
  readonly nodes: number;
  readonly attributesOfElement: number;
  /** Never within a value: what is read there would depend on who reads. */
  readonly allowsComments: boolean;
}

const messageRules: XmlRules = Object.freeze({ ...messageLimits, allowsComments: false });

/** An element of a message, with everything that is read of it. */
export interface XmlElement {
  readonly name: string;
  readonly namespace: string;
  /** Those without a namespace, by name. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text, without that of its children. */
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

/** Ids by which a signature may refer to an element: one value names one element, whatever the attribute is called. */
function noteIds(tag: SaxesTagNS, seen: Set<string>): void {
  for (const { local, value } of Object.values(tag.attributes)) {
    if (local.toLowerCase() !== "id") continue;
    if (seen.has(value)) throw new SamlRefusal("structure", "an ID comes twice");
    seen.add(value);
  }
}

interface Open {
  readonly stack: Building[];
  readonly roots: Building[];
  readonly rules: XmlRules;
}

function openElement({ stack, roots, rules }: Open, made: Building): void {
  const parent = stack.at(-1);
  if (parent === undefined) roots.push(made);
  else parent.children.push(made);
  stack.push(made);
  if (stack.length > rules.depth) throw new SamlRefusal("too_large", "nested too deep");
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

/** Whatever XML offers beyond elements, attributes and text is refused before anything is made of it. */
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
 * Reads a message strictly: well-formed, with namespaces, without DTD, entity beyond the five, processing instruction,
 * comment or CDATA, within the limits, and with unique IDs.
 * @param rules those of messages, unless told
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

/** The only child of this name, or undefined; two are refused. */
export function childOf(element: XmlElement, namespace: string, name: string): XmlElement | undefined {
  const found = childrenOf(element, namespace, name);
  if (found.length > 1) throw new SamlRefusal("structure", `${name} comes twice`);
  return found[0];
}

/** Text of an element that has nothing but text, without white space around it. */
export function textOf(element: XmlElement): string {
  if (element.children.length > 0) throw new SamlRefusal("structure", `${element.name} has more than text`);
  return element.text.trim();
}

export function requiredAttribute(element: XmlElement, name: string): string {
  const value = element.attributes.get(name);
  if (value === undefined || value === "") throw new SamlRefusal("structure", `${element.name} lacks ${name}`);
  return value;
}
