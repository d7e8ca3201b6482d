export type ConfigTree = { readonly [key: string]: unknown };

function isTree(value: unknown): value is ConfigTree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `more` over `base`, section by section; lists and values are replaced. */
export function mergeConfig(base: ConfigTree, more: ConfigTree): ConfigTree {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(more)) {
    const before = merged[key];
    merged[key] = isTree(before) && isTree(value) ? mergeConfig(before, value) : value;
  }
  return merged;
}
