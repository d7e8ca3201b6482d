import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { parse } from "yaml";
import { proseIn } from "./prose-in-code.ts";

const Phrases = Type.Object({
  rules: Type.Array(Type.Object({ expected: Type.String(), pattern: Type.String({ pattern: "^/.*/$" }) })),
});

interface Phrase {
  readonly expected: string;
  readonly pattern: RegExp;
}

/** The phrases of the documentation's own check, so that code and documentation follow one list. */
function bannedPhrases(): readonly Phrase[] {
  const tree: unknown = parse(readFileSync(join(import.meta.dirname, "banned-phrases.yml"), "utf8"));
  return Value.Parse(Phrases, tree).rules.map(({ expected, pattern }) => ({
    expected,
    pattern: new RegExp(pattern.slice(1, -1), "gmu"),
  }));
}

const phrases = bannedPhrases();

/** Banned phrases in the prose of a TypeScript or Lua file, as `line: phrase (write: …)`. */
export function bannedIn(file: string, source: string): readonly string[] {
  return proseIn(file, source).flatMap(({ line, text }) =>
    phrases.flatMap(({ expected, pattern }) =>
      [...text.matchAll(pattern)].map(([phrase]) => `${line}: ${phrase.trim()} (write: ${expected})`),
    ),
  );
}
