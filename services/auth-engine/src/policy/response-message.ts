import type { Catalogues } from "@postern/shared/domain/localisation";
import type { FactReader, FactValue } from "@postern/shared/platform/policies";

/** Source of a policy's message; `undefined` keeps that of the answer. */
export type MessageSource =
  | { readonly from: "literal"; readonly text: string }
  | { readonly from: "attribute"; readonly fact: string; readonly fallback: string }
  | { readonly from: "i18n"; readonly key: string; readonly fallback: string; readonly language: string | undefined };

/** `language` is set only for messages from a catalogue; it becomes Content-Language. */
export interface RenderedMessage {
  readonly message?: string;
  readonly language?: string;
}

/** The limit counts characters, not bytes; longer messages are cut. */
const maxLength = 256;

/** A text of the site in one line, cut to what a header may hold. */
export function plainMessage(text: string): RenderedMessage {
  // Control characters could end a header, or hide something in a log.
  const line = text.replaceAll(/\p{Cc}+/gu, " ").trim();
  if (line === "") return {};
  return { message: line.length <= maxLength ? line : Array.from(line).slice(0, maxLength).join("") };
}

function valueText(value: FactValue | undefined): string {
  if (value === undefined) return "";
  return typeof value === "object" ? value.join(", ") : String(value);
}

export function renderMessage(
  source: MessageSource | undefined,
  read: FactReader,
  acceptLanguage: string | undefined,
  catalogues: Catalogues,
): RenderedMessage {
  if (source === undefined) return {};
  if (source.from === "literal") return plainMessage(source.text);
  if (source.from === "attribute") return plainMessage(valueText(read(source.fact)) || source.fallback);
  const found = catalogues.find(source.key, { fixed: source.language, acceptLanguage });
  return found === undefined
    ? plainMessage(source.fallback)
    : { ...plainMessage(found.text), language: found.language };
}
