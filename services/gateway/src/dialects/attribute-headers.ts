import type { WireNames } from "./naming.ts";
import { headerText } from "./reply.ts";
import type { AttributeFilter } from "./secret-attributes.ts";

type Attributes = Readonly<Record<string, readonly string[]>>;

export interface AttributeHeaders {
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Attributes that did not fit into `maxBytes`. */
  readonly leftOut: readonly string[];
}

/** Attributes of one decision as headers that take no more than `maxBytes` on the wire. */
export type AttributesAsHeaders = (attributes: Attributes, maxBytes: number) => AttributeHeaders;

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Hop-by-hop headers, and those that mean something to whoever copies headers without their prefix. */
const refused =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|set-cookie2?|content-.*|auth-.*)$/i;

/** `: ` and the line's end. */
const lineBytes = 4;

function joined(name: string, values: readonly string[]): string {
  return values.map(headerText).join(name.toLowerCase() === "dn" ? ";" : ",");
}

/**
 * Contract, "Attribute-header rules": one header for each released attribute, its name as the directory spells it. No
 * name begins as any other header of an answer does but session and memory cache, and those are never overwritten.
 */
export function createAttributeHeaders(names: WireNames, releasable: AttributeFilter): AttributesAsHeaders {
  const reserved = [names.session.toLowerCase(), names.memoryCache.toLowerCase()];
  return (attributes, maxBytes) => {
    const taken = new Set(reserved);
    const headers: (readonly [string, string])[] = [];
    const leftOut: string[] = [];
    let bytes = 0;
    for (const [attribute, values] of Object.entries(releasable(attributes))) {
      const name = names.prefix + attribute;
      if (values.length === 0 || !token.test(attribute) || refused.test(attribute) || taken.has(name.toLowerCase())) {
        continue;
      }
      taken.add(name.toLowerCase());
      const value = joined(attribute, values);
      const size = name.length + value.length + lineBytes;
      if (bytes + size > maxBytes) {
        leftOut.push(attribute);
        continue;
      }
      bytes += size;
      headers.push([name, value]);
    }
    return { headers, leftOut };
  };
}
