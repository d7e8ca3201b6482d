import type { Domain, Domains, PlacedName } from "@postern/shared/domain/domains";
import type { Attempt } from "../pipeline/attempt.ts";

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

async function placeMasterLogin(attempt: Attempt, user: string, domains: Domains): Promise<Attempt> {
  const target = await domains.place(user);
  const { username } = attempt;
  return placedMasterLogin(attempt, target, username.includes("@") ? await domains.place(username) : undefined);
}

/**
 * The attempt with its names as their domains spell them, and the domain whose rules apply: that of the account which is opened.
 *
 * @param domains absent while all are decided by `auth.backends.order`
 * @throws AppError DIRECTORY_UNAVAILABLE if the source of the records cannot tell; a promise rejects with it
 */
export function placeAttempt(attempt: Attempt, domains: Domains | undefined): Attempt | Promise<Attempt> {
  if (domains === undefined) return attempt;
  if (attempt.masterLogin !== undefined) return placeMasterLogin(attempt, attempt.masterLogin.user, domains);
  const placed = domains.place(attempt.username);
  return placed instanceof Promise ? placed.then((found) => ({ ...attempt, ...found })) : { ...attempt, ...placed };
}
