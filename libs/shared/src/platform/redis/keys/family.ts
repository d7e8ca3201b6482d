/** The names between `<` and `>` in a template, as one text each. */
type PartsOf<Template extends string> = Template extends `${string}<${string}>${infer Rest}`
  ? [part: string, ...PartsOf<Rest>]
  : [];

interface KeyFacts {
  /** The service that writes it. */
  readonly owner: string;
  readonly role: "state" | "queue" | "cache";
  /** The effect of losing it; for the documentation. */
  readonly lost: string;
  /** What limits its lifetime instead of a TTL; for the documentation. */
  readonly bound?: string;
}

type RedisType = "string" | "hash" | "list" | "zset" | "set" | "stream";

/** One kind of key. Every key that is written is built here (ADR 0004). */
export interface KeyFamily<Parts extends readonly string[]> extends KeyFacts {
  readonly name: string;
  readonly type: RedisType;
  readonly ttlSeconds: number;
  /** Names of the parts; for the documentation. */
  readonly parts: readonly string[];
  readonly build: (prefix: string, ...parts: Parts) => string;
}

/** Joins the texts around up to three parts. It is a closure for each family, because keys are built for every decision. */
function builderOf(template: string): (prefix: string, ...parts: string[]) => string {
  const [start = "", second = "", third = "", end = ""] = template.split(/<[^>]+>/u);
  return (prefix, one = "", two = "", three = "") => prefix + start + one + second + two + third + three + end;
}

/** All key families, in the order of their definition; for the documentation. */
export const keyFamilies: KeyFamily<never[]>[] = [];

/**
 * Defines the key families of one area, which have `common` unless a row replaces it. A template such as `session:{<session>}` names the
 * parts that `build` takes, in their order.
 */
export function keysWith(common: Pick<KeyFacts, "owner" | "role">) {
  type Row = Partial<KeyFacts> & Pick<KeyFacts, "lost">;
  function key<const Template extends string>(
    name: string,
    type: RedisType,
    ttlSeconds: number,
    row: Row & { readonly template: Template },
  ): KeyFamily<PartsOf<Template>>;
  function key(
    name: string,
    type: RedisType,
    ttlSeconds: number,
    { template, ...facts }: Row & { readonly template: string },
  ): KeyFamily<string[]> {
    const parts = [...template.matchAll(/<([^>]+)>/gu)].map(([, part = ""]) => part);
    const family = { ...common, ...facts, name, type, ttlSeconds, parts, build: builderOf(template) };
    keyFamilies.push(family);
    return family;
  }
  return key;
}
