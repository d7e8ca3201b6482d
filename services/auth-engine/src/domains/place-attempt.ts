import {
  type CallerDomains,
  type Domain,
  type Domains,
  type PlacedName,
  unknownDomain,
} from "@postern/shared/domain/domains";
import { AppError } from "@postern/shared/platform/errors";
import type { Backend } from "../backends/backend.ts";
import type { BackendsByName } from "../backends/backends-by-name.ts";
import type { Listable } from "../backends/list-accounts.ts";
import type { Attempt } from "../pipeline/attempt.ts";

/** What a request says about the API caller that sent it. */
interface OfCaller {
  readonly callerDomains?: readonly string[] | undefined;
  readonly defaultDomain?: string | undefined;
}

/**
 * Places the name of a request as its caller may reach and means it.
 *
 * @param domains absent while all are decided by `auth.backends.order`: then nothing is placed, and a caller with a limit gets no decision
 * @throws AppError DIRECTORY_UNAVAILABLE if that cannot be decided; a promise rejects with it
 */
export function placeName(
  username: string,
  { callerDomains, defaultDomain }: OfCaller,
  domains: Domains | undefined,
): PlacedName | Promise<PlacedName> | undefined {
  if (callerDomains === undefined) return domains?.place(username, defaultDomain);
  if (domains === undefined)
    throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "a caller is limited to domains, and there are none" });
  const ofCaller: CallerDomains = { domains: callerDomains, defaultDomain };
  return domains.placeFor(ofCaller, username);
}

/** A master user named without a domain is the site's, and may open accounts of all domains. */
function isForeign(master: Domain, target: Domain): boolean {
  if (!master.isKnown || master.name === "") return !master.isKnown;
  return !target.isKnown || target.name !== master.name;
}

/**
 * The attempt of a master user whose two names are placed.
 *
 * @param master undefined for a name without a domain
 */
export function placedMasterLogin(
  attempt: Attempt,
  { username: user, domain }: PlacedName,
  master: PlacedName | undefined,
): Attempt {
  const { masterLogin } = attempt;
  if (masterLogin === undefined) return attempt;
  const opened = { ...attempt, masterLogin: { ...masterLogin, user }, domain };
  if (master === undefined) return opened;
  return { ...opened, username: master.username, isForeignMaster: isForeign(master.domain, domain) };
}

async function placeMasterLogin(attempt: Attempt, user: string, domains: Domains | undefined): Promise<Attempt> {
  const target = await placeName(user, attempt, domains);
  if (target === undefined || domains === undefined) return attempt;
  const { username } = attempt;
  if (!username.includes("@")) return placedMasterLogin(attempt, target, undefined);
  const master = (await placeName(username, attempt, domains)) ?? { username, domain: unknownDomain };
  return placedMasterLogin(attempt, target, master);
}

/**
 * The attempt with its names as their domains spell them, and the domain whose rules apply: that of the account which is opened.
 *
 * @param domains absent while all are decided by `auth.backends.order`
 * @throws AppError DIRECTORY_UNAVAILABLE if the source of the records cannot tell; a promise rejects with it
 */
export function placeAttempt(attempt: Attempt, domains: Domains | undefined): Attempt | Promise<Attempt> {
  if (attempt.masterLogin !== undefined) return placeMasterLogin(attempt, attempt.masterLogin.user, domains);
  const placed = placeName(attempt.username, attempt, domains);
  if (placed === undefined) return attempt;
  return placed instanceof Promise ? placed.then((found) => ({ ...attempt, ...found })) : { ...attempt, ...placed };
}

/** An answer with the name of the domain, for the log of the service that asked. */
export function withDomain<Answer extends object>(
  answer: Answer,
  domain: Domain | undefined,
): Answer & { readonly domain?: string } {
  return domain?.isKnown === true && domain.name !== "" ? { ...answer, domain: domain.name } : answer;
}

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
