import type { Domain, Domains } from "@postern/shared/domain/domains";
import type { Attempt } from "../pipeline/attempt.ts";

/** A master user named without a domain is the site's, and may open accounts of all domains. */
function isForeign(master: Domain, target: Domain): boolean {
  if (!master.isKnown || master.name === "") return !master.isKnown;
  return !target.isKnown || target.name !== master.name;
}

async function placeMasterLogin(attempt: Attempt, domains: Domains): Promise<Attempt> {
  const { masterLogin, username } = attempt;
  if (masterLogin === undefined) return attempt;
  const { username: user, domain } = await domains.place(masterLogin.user);
  const opened = { ...attempt, masterLogin: { ...masterLogin, user }, domain };
  if (!username.includes("@")) return opened;
  const master = await domains.place(username);
  return { ...opened, username: master.username, isForeignMaster: isForeign(master.domain, domain) };
}

/**
 * The attempt with its names as their domains spell them, and the domain whose rules apply: that of the account which is opened.
 *
 * @param domains absent while all are decided by `auth.backends.order`
 * @throws AppError DIRECTORY_UNAVAILABLE if the source of the records cannot tell; a promise rejects with it
 */
export function placeAttempt(attempt: Attempt, domains: Domains | undefined): Attempt | Promise<Attempt> {
  if (domains === undefined) return attempt;
  if (attempt.masterLogin !== undefined) return placeMasterLogin(attempt, domains);
  const placed = domains.place(attempt.username);
  return placed instanceof Promise ? placed.then((found) => ({ ...attempt, ...found })) : { ...attempt, ...placed };
}
