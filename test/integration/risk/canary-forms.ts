import { hash } from "node:crypto";

/** The text as it is, and as JSON, a page, a form, a header or a dump may contain it. */
function formsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const html = text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    html,
    encodeURIComponent(text),
    new URLSearchParams({ a: text }).toString().slice("a=".length),
    bytes.toString("base64").replace(/=+$/u, ""),
    bytes.toString("base64url"),
    bytes.toString("hex"),
  ];
}

function digestsOf(text: string): readonly string[] {
  return ["sha1", "sha256", "md5"].flatMap((algorithm) => {
    const hex = hash(algorithm, text, "hex");
    const [base64, base64url] = [hash(algorithm, text, "base64"), hash(algorithm, text, "base64url")];
    return [hex, hex.toUpperCase(), base64.replace(/=+$/u, ""), base64url];
  });
}

/** What must not be found of a canary. */
export interface Canary {
  readonly forms: readonly string[];
}

const unique = (forms: readonly string[]): Canary => ({ forms: [...new Set(forms)] });

export const secretCanary = (text: string): Canary => unique([...formsOf(text), ...digestsOf(text)]);
export const nameCanary = (text: string): Canary => unique(formsOf(text));

/** `network`: the beginning of the addresses, as far as every network of them has it, such as `198.51.100.`. */
export const networkCanary = (network: string): Canary => unique([network, encodeURIComponent(network)]);

/** The forms of the canaries that the text contains. */
export function foundIn(text: string, canaries: readonly Canary[]): readonly string[] {
  return canaries.flatMap(({ forms }) => forms.filter((form) => text.includes(form)));
}
