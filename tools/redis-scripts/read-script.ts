/** A script of Redis, as its file describes it. */
export interface LuaScript {
  /** `count-in-window.lua` is `countInWindow`. */
  readonly name: string;
  /** Names of KEYS and ARGV in order, in camel case; undefined where their number varies. */
  readonly keys: readonly string[] | undefined;
  readonly args: readonly string[] | undefined;
  readonly lua: string;
}

const entryForm = /^-- (KEYS|ARGV)\[(\d+)\] ([a-z][a-z0-9_]*)(?:: .+)?$/u;
const variableForm = /^-- (KEYS|ARGV), .+$/u;
const useForm = /\b(KEYS|ARGV)\b(?:\[(\d+)\])?/gu;

const camelCase = (text: string): string =>
  text.replaceAll(/[_-]([a-z0-9])/gu, (_, letter: string) => letter.toUpperCase());

/** What the header says of KEYS, or of ARGV. */
interface Declared {
  readonly list: "KEYS" | "ARGV";
  readonly names: readonly string[];
  readonly isVariable: boolean;
}

function declaredIn(header: readonly string[], list: Declared["list"]): Declared {
  const entries = header.map((line) => entryForm.exec(line)).filter((match) => match?.[1] === list);
  entries.forEach((match, index) => {
    if (match?.[2] !== String(index + 1)) throw new Error(`${match?.[0]}: expected ${list}[${index + 1}]`);
  });
  return {
    list,
    names: entries.map((match) => match?.[3] ?? ""),
    isVariable: header.some((line) => variableForm.exec(line)?.[1] === list),
  };
}

/** Each declared KEYS[n] and ARGV[n] is unpacked once, into a local of its name; no other is used. */
function checkUse(body: readonly string[], { list, names, isVariable }: Declared): void {
  names.forEach((name, index) => {
    const place = `${list}[${index + 1}]`;
    const line = body.find((text) => text.includes(place));
    if (line?.startsWith(`local ${name} = `) !== true) {
      throw new Error(`expected a line "local ${name} = … ${place} …" before any other use of ${place}`);
    }
  });
  if (isVariable) return;
  const uses = [...body.join("\n").matchAll(useForm)].filter((match) => match[1] === list).map((match) => match[2]);
  if (uses.length !== names.length)
    throw new Error(`${list} is used ${uses.length} times; the header names ${names.length}`);
}

/**
 * Reads the header comment and checks the body against it. `docs/adr/0004` describes the form.
 * @throws Error with a sentence that says what the file lacks.
 */
export function readScript(path: string, lua: string): LuaScript {
  try {
    const lines = lua.split("\n");
    const bodyAt = lines.findIndex((line) => !line.startsWith("--"));
    const [header, body] = [lines.slice(0, bodyAt), lines.slice(bodyAt)];
    if (header.length === 0) throw new Error("expected a comment at the top that states the purpose of the script");
    if (!header.some((line) => line.startsWith("-- Reply: ")))
      throw new Error('expected a line "-- Reply: …" in the header');
    // oxlint-disable-next-line no-control-regex -- ASCII begins with a control character.
    if (!/^[\x00-\x7f]*$/u.test(lua)) throw new Error("expected ASCII only");
    const keys = declaredIn(header, "KEYS");
    const args = declaredIn(header, "ARGV");
    if (keys.names.length === 0 && !keys.isVariable) throw new Error("expected KEYS in the header");
    for (const declared of [keys, args]) checkUse(body, declared);
    const isVariable = keys.isVariable || args.isVariable;
    return {
      name: camelCase(path.replace(/^.*\//u, "").replace(/\.lua$/u, "")),
      keys: isVariable ? undefined : keys.names.map(camelCase),
      args: isVariable ? undefined : args.names.map(camelCase),
      lua,
    };
  } catch (cause) {
    throw new Error(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
