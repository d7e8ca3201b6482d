import { hasImpostors, looksLikeOtherScript, looksLikeOwn, type OwnNames } from "./look-alike.ts";

const longest = 80;
/** Characters that are invisible, reorder the text, or have no agreed form. */
const hidden = /\p{C}|\p{Zl}|\p{Zp}|\u00AD|\u034F|\u115F|\u1160|\u17B4|\u17B5|\u3164|\uFFA0/u;
/** Several marks on a letter, one that encloses it, and one that is on no letter. */
const oddMarks = /\p{M}{3}|\p{Me}|(?<![\p{L}\p{M}\p{N}])\p{M}/u;
/** Check marks, locks and shields look like a statement of this site: of all symbols, only those of keyboards are left. */
const symbols = /[[\p{S}\p{Extended_Pictographic}\p{No}\p{Nl}]--[\p{ASCII}©®°]]/v;

/** Scripts in everyday use (Unicode UAX 31, table 5) whose letters are not mistaken for Latin ones. */
const besideLatin = `
  Arabic Bengali Devanagari Ethiopic Georgian Gujarati Gurmukhi Hebrew Kannada Khmer Lao Malayalam Myanmar Oriya Sinhala
  Tamil Telugu Thaana Thai Tibetan`
  .trim()
  .split(/\s+/u);
const scriptsOfNames = [
  ["Latin", "Han", "Hiragana", "Katakana", "Bopomofo", "Hangul"],
  ...besideLatin.map((script) => ["Latin", script]),
  ["Cyrillic"],
  ["Greek"],
  ["Armenian"],
].map((scripts) => {
  const letters = [...scripts, "Common", "Inherited"].map((script) => `\\p{Script=${script}}`).join("");
  return new RegExp(`^[${letters}\\P{L}]*$`, "u");
});

/**
 * A client's name as it may be registered: one line, normalised. Undefined for a name that is too long, contains invisible or
 * reordering characters or check marks, or mixes scripts or uses rare letters to look like another name (Unicode TS 39, section
 * 5.2, level "moderately restrictive").
 */
export function readClientName(text: string): string | undefined {
  const name = text.normalize("NFKC").trim().replaceAll(/ +/g, " ");
  if (name.length > longest || hidden.test(name) || oddMarks.test(name) || symbols.test(name)) return undefined;
  return scriptsOfNames.some((letters) => letters.test(name)) && !hasImpostors(name) ? name : undefined;
}

/** Whether users may see the name: not if they would take the client for another one, or for the site itself. */
export function mayShowName(name: string, own: OwnNames): boolean {
  return readClientName(name) === name && !looksLikeOtherScript(name) && !looksLikeOwn(name, own);
}
