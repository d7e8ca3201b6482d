import type { Domains } from "@postern/shared/domain/domains";
import { AppError } from "@postern/shared/platform/errors";
import type { Backend } from "../backends/backend.ts";
import type { BackendsByName } from "../backends/backends-by-name.ts";
import type { Listable } from "../backends/list-accounts.ts";

/**
 * What a caller that is limited to some domains may list: only their backends are queried. Accounts that one lists without a domain are those
 * of the default domain, if they are anybody's.
 *
 * @param domains absent while all are decided by `auth.backends.order`
 * @throws AppError DIRECTORY_UNAVAILABLE if it cannot be decided
 */
export async function listableWithin(
  names: readonly string[],
  domains: Domains | undefined,
  backends: BackendsByName,
): Promise<Listable> {
  if (domains === undefined)
    throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "a caller is limited to domains, and there are none" });
  const isWithin = await domains.within(names);
  const found = new Map<string, Backend>();
  for (const name of names) {
    const domain = await domains.find(name);
    for (const backend of await backends.of("", domain)) found.set(backend.name, backend);
  }
  return { backends: [...found.values()], isWithin };
}
