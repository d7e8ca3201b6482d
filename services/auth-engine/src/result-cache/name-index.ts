/** The contexts of each name. */
export interface NameIndex {
  add(name: string, context: string): void;
  remove(name: string, context: string): void;
  of(name: string): readonly string[];
}

export function createNameIndex(): NameIndex {
  const byName = new Map<string, Set<string>>();
  return {
    add: (name, context) => {
      const contexts = byName.get(name);
      if (contexts === undefined) byName.set(name, new Set([context]));
      else contexts.add(context);
    },
    remove: (name, context) => {
      const contexts = byName.get(name);
      contexts?.delete(context);
      if (contexts?.size === 0) byName.delete(name);
    },
    of: (name) => [...(byName.get(name) ?? [])],
  };
}
