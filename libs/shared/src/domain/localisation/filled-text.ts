import type { Language } from "./languages.ts";

/** Isolates a value whose direction may differ from the text's (Unicode UAX #9, FSI and PDI). */
const isolated = (value: string): string => `\u2068${value}\u2069`;

/** A text of a page with its `{names}` replaced. Placeholders inside values, and those without a value, stay. */
export function filledText(
  text: string,
  values: Readonly<Record<string, string>>,
  direction: Language["direction"],
): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return whole;
    return direction === "rtl" ? isolated(value) : value;
  });
}
