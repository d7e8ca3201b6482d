import { stringify } from "yaml";
import type { Audience } from "../../contracts/index.ts";
import type { Config } from "../config/index.ts";
import { type DocumentOptions, openapiDocument } from "./document.ts";

/** A document in JSON and YAML. */
export type RenderedDocument = ReturnType<typeof renderOpenapi>;

export type DocumentFormat = keyof RenderedDocument;

export const openapiTypes = {
  json: "application/json; charset=utf-8",
  yaml: "application/yaml; charset=utf-8",
} as const;

export function renderOpenapi(options: DocumentOptions) {
  const document = openapiDocument(options);
  return {
    json: JSON.stringify(document),
    // YAML 1.1 parsers read a bare `on`, `no` or `y` as a boolean, so such words are quoted.
    yaml: stringify(document, { aliasDuplicateObjects: false, lineWidth: 120, compat: "yaml-1.1" }),
  };
}

/** The site's document, generated at the first request. */
export function lazyOpenapi(audience: Audience, { runtime }: Config): () => RenderedDocument {
  const { identifier, proxy_segment: proxySegment, sasl_segment: saslSegment } = runtime.naming;
  let rendered: RenderedDocument | undefined;
  return () => {
    rendered ??= renderOpenapi({ audience, names: { identifier, proxySegment, saslSegment } });
    return rendered;
  };
}
