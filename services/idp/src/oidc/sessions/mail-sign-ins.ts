import type { SignInDemands } from "../../second-factors/sign-in-demands.ts";
import { ownNames } from "../registration/registered-policies.ts";
import { kindOfId, shownName } from "../registration/registration.ts";
import type { OidcParts, OidcState } from "../state/context.ts";
import { digestOfId } from "../storage/models.ts";
import type { StoredRecord } from "../storage/store-redis.ts";

/** More sign-ins than a user has devices. The newest are listed. */
const maxListed = 50;

function grantOf({ model, payload }: StoredRecord): string | undefined {
  return model === "Grant" ? payload.jti : payload.grantId;
}

/** Sign-ins with a token that is still valid, by their grant. */
function heldGrants(records: readonly StoredRecord[], nowSeconds: number) {
  const byGrant = Map.groupBy(
    records.filter(({ payload }) => kindOfId(payload.clientId ?? "") === "mail" && payload.accountId !== undefined),
    (record) => grantOf(record) ?? "",
  );
  return [...byGrant].flatMap(([grantId, found]) => {
    const isAlive = found.some(
      ({ model, payload }) => model !== "Grant" && payload.consumed === undefined && (payload.exp ?? 0) > nowSeconds,
    );
    const times = found.map(({ payload }) => payload.iat ?? 0);
    const clientId = found[0]?.payload.clientId ?? "";
    const [firstIat, lastIat] = [Math.min(...times), Math.max(...times)];
    return isAlive && grantId !== "" ? [{ grantId, clientId, firstIat, lastIat }] : [];
  });
}

/** The mail clients in which a user is signed in by token. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer. */
export function createMailSignIns(
  { settings, sharedClock }: OidcParts,
  { recordsOf, registered, records }: OidcState,
  demands: () => SignInDemands,
) {
  const held = async (account: string) => {
    return heldGrants(await recordsOf(account), Math.floor(sharedClock.now() / 1000)).toSorted(
      (left, right) => right.lastIat - left.lastIat,
    );
  };
  return {
    /** The latest use first. An `id` identifies the sign-in and grants no access; the client gave itself the `name`. */
    list: async (account: string) => {
      const found = (await held(account)).slice(0, maxListed);
      return Promise.all(
        found.map(async ({ grantId, clientId, firstIat, lastIat }) => {
          const registration = await registered.load(clientId);
          const name = registration === undefined ? clientId : shownName(registration, ownNames(settings()));
          return { id: digestOfId(grantId), name, signedInMs: firstIat * 1000, lastUsedMs: lastIat * 1000 };
        }),
      );
    },
    /** Revokes the tokens of one sign-in. @returns whether the account has it */
    end: async (account: string, id: string): Promise<boolean> => {
      const found = (await held(account)).find(({ grantId }) => digestOfId(grantId) === id);
      if (found !== undefined) await records.revokeGrant(found.grantId);
      return found !== undefined;
    },
    /** Revokes the tokens of all sign-ins. @returns how many there were */
    endAll: async (account: string): Promise<number> => {
      const found = await held(account);
      await Promise.all(found.map(({ grantId }) => records.revokeGrant(grantId)));
      return found.length;
    },
    /** What the site demands of the second factors of users with a mail client. */
    demands,
  };
}
