import unhomoglyph from "unhomoglyph";

const smallCapitals = new Map(
  Array.from("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢʍ", (letter, index) => [letter, "abcdefghijklmnoprstuvwyzm"[index] ?? ""]),
);

/** What a text looks like (the skeleton of Unicode TS 39, section 4): texts that look alike have the same one. */
function skeletonOf(text: string): string {
  return unhomoglyph(text.normalize("NFD")).normalize("NFD").replaceAll(/\p{M}/gu, "");
}

function looksLatin(text: string): boolean {
  return /^[\p{Script=Latin}\p{ASCII}]+$/u.test(skeletonOf(text));
}

const words = /[\p{L}\p{M}\p{N}]+/gu;
const letters = /[\p{L}\p{N}]/gu;
const isLatin = (letter: string): boolean => /\p{Script=Latin}/u.test(letter);

/** Letters of national alphabets: Latin-1 Supplement and Latin Extended-A. */
const lastOfAlphabets = "\u017F";

function plain(letter: string): string {
  return smallCapitals.get(letter) ?? letter;
}

/** A Latin letter of phonetic or historical alphabets that looks like one of the English alphabet. */
function isImpostor(letter: string): boolean {
  if (!isLatin(letter) || letter <= lastOfAlphabets) return false;
  return /^[A-Za-z]+$/.test(Array.from(unhomoglyph(letter), plain).join(""));
}

/** Whether a letter of the text stands for another one that it looks like: `ɡmail`, `Pᴏstern`, or a word with a Thai or Hebrew `o`. */
export function hasImpostors(text: string): boolean {
  return (text.match(words) ?? []).some((word) => {
    const found = word.match(letters) ?? [];
    const hasLatin = found.some((letter) => isLatin(letter));
    return found.some((letter) => isImpostor(letter) || (hasLatin && !isAscii(letter) && isForeign(letter)));
  });
}

function isAscii(letter: string): boolean {
  return letter <= "\u007F";
}

function isForeign(letter: string): boolean {
  return !isLatin(letter) && looksLatin(letter);
}

/** Whether a word in another script looks like one in Latin letters, such as the Cyrillic `Арре`. */
export function looksLikeOtherScript(text: string): boolean {
  return (text.match(words) ?? []).some((word) => {
    const found = word.match(/\p{L}/gu) ?? [];
    return found.length > 1 && !found.some((letter) => isLatin(letter)) && looksLatin(word);
  });
}

/** The words that people read in a text: without case and marks, and with one letter for `i` and `l`, whose capitals look alike. */
function readingOf(text: string): readonly string[] {
  const lower = Array.from(skeletonOf(text).toLowerCase(), plain).join("");
  return (skeletonOf(lower).match(words) ?? []).map((word) => word.replaceAll("i", "l"));
}

export interface OwnNames {
  /** Names of the site: another name must not contain one of them. */
  readonly site: readonly string[];
  readonly applications: readonly string[];
}

/** A shorter one is part of other words too often. */
const shortestPart = 5;

function contains(found: readonly string[], own: string): boolean {
  const wanted = readingOf(own);
  if (wanted.length === 0) return false;
  if (own.length >= shortestPart) return found.join("").includes(wanted.join(""));
  return ` ${found.join(" ")} `.includes(` ${wanted.join(" ")} `);
}

/** Whether people may take the name for that of the site or of one of its applications. */
export function looksLikeOwn(name: string, { site, applications }: OwnNames): boolean {
  const found = readingOf(name);
  if (site.some((own) => contains(found, own))) return true;
  return found.length > 0 && applications.some((own) => readingOf(own).join("") === found.join(""));
}
