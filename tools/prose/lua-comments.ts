/** The place of a text in its source. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/** Strings come first, because they may contain `--`. */
const stringOrComment = /"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|(?:--)?\[(=*)\[[\s\S]*?\]\1\]|--[^\n]*/gu;

/** The comments of a Lua file. */
export function luaComments(source: string): readonly Part[] {
  return [...source.matchAll(stringOrComment)]
    .filter(([text]) => text.startsWith("--"))
    .map(({ 0: text, index }) => ({ start: index, end: index + text.length }));
}
