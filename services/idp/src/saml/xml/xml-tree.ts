import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from "saxes";
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

/** Builds the tree of a document from the parser's events, within the limits. */
class TreeBuilder {
  root: Building | undefined;
  readonly #rules: XmlRules;
  readonly #open: Building[] = [];
  readonly #ids = new Set<string>();
  #nodes = 0;

  constructor(rules: XmlRules) {
    this.#rules = rules;
  }

  openElement({ local, uri, attributes }: SaxesTagNS): void {
    const listed = Object.values(attributes);
    this.#noteIds(listed);
    this.#nodes += 1 + listed.length;
    if (this.#nodes > this.#rules.nodes) throw new SamlRefusal("too_large", "too many nodes");
    if (listed.length > this.#rules.attributesOfElement) throw new SamlRefusal("too_large", "too many attributes");
    const plain = listed.filter((attribute) => attribute.prefix === "" && attribute.local !== "xmlns");
    const element: Building = {
      name: local,
      namespace: uri,
      attributes: new Map(plain.map((attribute) => [attribute.local, attribute.value])),
      children: [],
      text: "",
      hasComment: false,
    };
    this.root ??= element;
    this.#open.at(-1)?.children.push(element);
    this.#open.push(element);
    if (this.#open.length > this.#rules.depth) throw new SamlRefusal("too_large", "nested too deeply");
  }

  /** Ids to which a signature may refer. A value must name one element, whatever the attribute is called. */
  #noteIds(attributes: readonly SaxesAttributeNS[]): void {
    for (const { local, value } of attributes) {
      if (local.toLowerCase() !== "id") continue;
      if (this.#ids.has(value)) throw new SamlRefusal("structure", "an ID occurs twice");
      this.#ids.add(value);
    }
  }

  closeElement(): void {
    const closed = this.#open.pop();
    if (closed?.hasComment === true && closed.text.trim() !== "") forbidden("comment within a value");
  }

  meetComment(): void {
    if (!this.#rules.allowsComments) forbidden("comment");
    const current = this.#open.at(-1);
    if (current !== undefined) current.hasComment = true;
  }

  addText(piece: string): void {
    const current = this.#open.at(-1);
    if (current !== undefined) current.text += piece;
  }
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
  const tree = new TreeBuilder(rules);
  refuseTheRest(parser);
  parser.on("opentag", (tag) => tree.openElement(tag));
  parser.on("comment", () => tree.meetComment());
  parser.on("closetag", () => tree.closeElement());
  parser.on("text", (piece) => tree.addText(piece));
  parser.write(text).close();
  if (tree.root === undefined) throw new SamlRefusal("not_xml", "no root element");
  return tree.root;
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
