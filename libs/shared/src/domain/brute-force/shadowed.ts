import type { Ban } from "./ban.ts";
import type { FlushDeps } from "./flush.ts";
import { readValues } from "./read-values.ts";
import { sourceOf } from "./source.ts";

/** Keys of bans with which an earlier rule may ban the same network. */
function shadowingKeys({ keyPrefix, rules }: FlushDeps, { network, rule }: Ban): readonly string[] {
  const source = sourceOf(network.split("/", 1)[0] ?? "", { ...rules(), keyPrefix });
  if (source === undefined) return [];
  const own = source.scopes.findIndex((scope) => scope.rule.name === rule);
  const earlier = own === -1 ? source.scopes : source.scopes.slice(0, own);
  return earlier.filter((scope) => scope.network === network).map(({ banKey }) => banKey);
}

/** Leaves each network in the list once, with the first rule that bans it. */
export async function withoutShadowed(deps: FlushDeps, bans: readonly Ban[]): Promise<readonly Ban[]> {
  const found = await readValues(
    deps.redis,
    bans.map((ban) => shadowingKeys(deps, ban)),
  );
  return bans.filter((_ban, index) => found[index]?.every((value) => value === null) !== false);
}
