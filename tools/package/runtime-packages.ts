import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { external } from "../bundle/external.ts";

/** Packages that bundles load at run time: those of `external.ts` that a service or the library depends on. */
function roots(lock: Lock): readonly string[] {
  const direct = Object.entries(lock)
    .filter(([path]) => /^(?:libs|services)\//u.test(path))
    .flatMap(([, { dependencies = {} }]) => Object.keys(dependencies));
  return [...new Set(direct)].filter((name) => external.some((form) => form.test(name)));
}

/** Packages that only the type checker reads. */
const isForTypes = (name: string): boolean => name.startsWith("@types/") || name === "undici-types";

export interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

export type Lock = Readonly<Record<string, LockedPackage>>;

export function readLock(root: string): Lock {
  return JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
}

/** The path of the package that `name` resolves to from `from`, as Node resolves it. */
export function resolvePackage(lock: Lock, name: string, from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const path = at === "" || at === "." ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (path in lock) return path;
    if (at === "" || at === ".") return undefined;
  }
}

const fits = (allowed: readonly string[] | undefined, value: string): boolean =>
  allowed === undefined || allowed.includes(value);

/** Paths of the packages that a package loads. */
function dependenciesOf(lock: Lock, path: string, entry: LockedPackage, cpu: string): readonly string[] {
  const names = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }).filter(
    (name) => !isForTypes(name),
  );
  return names.flatMap((name) => {
    const next = resolvePackage(lock, name, path);
    // Optional for npm, but without it the first password fails.
    if (next === undefined && name.endsWith(`-linux-${cpu}-gnu`))
      throw new Error(`package-lock.json has no ${name}: ${path} cannot run on ${cpu}`);
    return next === undefined ? [] : [next];
  });
}

/** Paths of the packages that bundles need on glibc, sorted; compiled parts are those of `cpu`. */
export function runtimePackages(lock: Lock, cpu: string): readonly string[] {
  const found = new Set<string>();
  const pending: string[] = roots(lock).map((name) => `node_modules/${name}`);
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const entry = lock[path];
    if (entry === undefined) throw new Error(`package-lock.json has no ${path}`);
    if (found.has(path) || !fits(entry.os, "linux") || !fits(entry.cpu, cpu) || !fits(entry.libc, "glibc")) continue;
    if (/-(?:musl|gnueabihf)$/u.test(path)) continue;
    found.add(path);
    pending.push(...dependenciesOf(lock, path, entry, cpu));
  }
  return [...found].toSorted();
}
