const longest = 80;
/** Characters that are invisible, reorder the text, or have no agreed form. */
const hidden = /\p{C}|\p{Zl}|\p{Zp}|\u00AD|\u034F|\u115F|\u1160|\u17B4|\u17B5|\u3164|\uFFA0/u;
const stackedMarks = /\p{M}{3}/u;

/** Scripts whose letters imitate each other; a name uses one of them (Unicode TS 39, section 5). */
const lookalikes = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];

/**
 * A client's name as it may be shown to users: one line, normalised. Undefined for a name that is too long, contains
 * invisible or reordering characters, or mixes scripts to look like another name.
 */
export function readClientName(text: string): string | undefined {
  const name = text.normalize("NFKC").trim().replaceAll(/ +/g, " ");
  if (name.length > longest || hidden.test(name) || stackedMarks.test(name)) return undefined;
  return lookalikes.filter((script) => script.test(name)).length > 1 ? undefined : name;
}
