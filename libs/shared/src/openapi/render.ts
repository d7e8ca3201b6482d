import { stringify } from "yaml";
import type { Config } from "../config/index.ts";
import type { Audience } from "../contracts/index.ts";
import { type DocumentOptions, openapiDocument } from "./document.ts";

/** A document in both formats. */
export interface RenderedDocument {
  readonly json: string;
  readonly yaml: string;
}

export type DocumentFormat = keyof RenderedDocument;

export const openapiTypes = {
  json: "application/json; charset=utf-8",
  yaml: "application/yaml; charset=utf-8",
} as const;

export function renderOpenapi(options: DocumentOptions): RenderedDocument {
  const document = openapiDocument(options);
  return {
    json: JSON.stringify(document),
    yaml: stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 }),
  };
}

/** The site's document, made when somebody first asks for it: nobody needs it at a start. */
export function lazyOpenapi(audience: Audience, { runtime }: Config): () => RenderedDocument {
  const { identifier, proxy_segment: proxySegment, sasl_segment: saslSegment } = runtime.naming;
  let rendered: RenderedDocument | undefined;
  return () => {
    rendered ??= renderOpenapi({ audience, names: { identifier, proxySegment, saslSegment } });
    return rendered;
  };
}
