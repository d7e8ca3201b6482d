import type { AttributeFilter } from "@postern/shared/domain/released-attributes";
import type { WireNames } from "../http/naming.ts";
import { headerText } from "../http/reply.ts";

type Attributes = Readonly<Record<string, readonly string[]>>;

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Hop-by-hop headers, and headers that have a meaning for software that copies them without their prefix. */
const refused =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|set-cookie2?|content-.*|auth-.*)$/i;

/** `: ` and the line ending. */
const lineBytes = 4;

/** A header's name, and the separator between two of its values. */
type HeaderForm = { readonly name: string; readonly lowerName: string; readonly separator: string };

const maxForms = 10_000;

/**
 * The header of an attribute; undefined for a name that is not a valid header name. Cached, because names are few and repeat.
 */
function createHeaderForms({ prefix, session, memoryCache }: WireNames): (attribute: string) => HeaderForm | undefined {
  const reserved = new Set([session.toLowerCase(), memoryCache.toLowerCase()]);
  const forms = new Map<string, HeaderForm | undefined>();
  const formOf = (attribute: string): HeaderForm | undefined => {
    const name = prefix + attribute;
    const lowerName = name.toLowerCase();
    if (!token.test(attribute) || refused.test(attribute) || reserved.has(lowerName)) return undefined;
    return { name, lowerName, separator: attribute.toLowerCase() === "dn" ? ";" : "," };
  };
  return (attribute) => {
    const known = forms.get(attribute);
    if (known !== undefined || forms.has(attribute)) return known;
    const form = formOf(attribute);
    if (forms.size < maxForms) forms.set(attribute, form);
    return form;
  };
}

function joined(values: readonly string[], separator: string): string {
  const [first = ""] = values;
  return values.length === 1 ? headerText(first) : values.map(headerText).join(separator);
}

/**
 * Adds one header per released attribute, with the name as the backend spells it. Except for session and memory cache, no other response
 * header shares the attributes' prefix, and those two are never overwritten. The headers take at most `maxBytes` on the wire; `leftOut` are
 * the attributes that exceeded them.
 */
export function createAttributeHeaders(names: WireNames, releasable: AttributeFilter) {
  const formOf = createHeaderForms(names);
  return (attributes: Attributes, maxBytes: number) => {
    const taken = new Set<string>();
    const headers: (readonly [name: string, value: string])[] = [];
    const leftOut: string[] = [];
    let bytes = 0;
    for (const [attribute, values] of Object.entries(releasable(attributes))) {
      const form = formOf(attribute);
      if (form === undefined || values.length === 0 || taken.has(form.lowerName)) continue;
      taken.add(form.lowerName);
      const value = joined(values, form.separator);
      const size = form.name.length + value.length + lineBytes;
      if (bytes + size > maxBytes) {
        leftOut.push(attribute);
        continue;
      }
      bytes += size;
      headers.push([form.name, value]);
    }
    return { headers, leftOut };
  };
}

export type AttributesAsHeaders = ReturnType<typeof createAttributeHeaders>;
