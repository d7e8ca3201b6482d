/** The contexts of each name. */
export function createNameIndex() {
  const byName = new Map<string, Set<string>>();
  return {
    add: (name: string, context: string): void => {
      const contexts = byName.get(name);
      if (contexts === undefined) byName.set(name, new Set([context]));
      else contexts.add(context);
    },
    remove: (name: string, context: string): void => {
      const contexts = byName.get(name);
      contexts?.delete(context);
      if (contexts?.size === 0) byName.delete(name);
    },
    of: (name: string): readonly string[] => [...(byName.get(name) ?? [])],
  };
}
