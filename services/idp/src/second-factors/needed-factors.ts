import type { FactorMethod, FlowClient } from "../flow/flow-record.ts";
import { defaultLevels, levelNumber, methodNamed, rankOfMethod, wantedRank } from "./factor-levels.ts";
import type { FlowDemands } from "./sign-in-demands.ts";

/** The second factors of an account, as far as a sign-in needs to know them. */
export interface EnrolledFactors {
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
  readonly webauthnCredentials: number;
}

export function isSupported(method: FactorMethod, client: Pick<FlowClient, "supportedMfa"> | undefined): boolean {
  const supported = client?.supportedMfa ?? [];
  return supported.length === 0 || supported.some((name) => methodNamed(name) === method);
}

const strongest = ["webauthn", "totp", "recovery"] as const;
/** The factors that can be set up to reach a level, the easier first. */
const toReach = ["totp", "webauthn"] as const;

function missingOf(
  has: Readonly<Record<FactorMethod, boolean>>,
  client: FlowDemands | undefined,
): readonly FactorMethod[] {
  const demanded = (client?.requireMfa ?? [])
    .map((name) => methodNamed(name))
    .filter((method): method is FactorMethod => method !== undefined && !has[method]);
  const levels = client?.mfaLevels ?? defaultLevels;
  const level = levelNumber(client?.requiredMfaLevel, levels);
  const will = { ...has, ...Object.fromEntries(demanded.map((method) => [method, true])) };
  const reaches = (method: FactorMethod): boolean => isSupported(method, client) && levels[method] >= level;
  const isReached = level === 0 || toReach.some((method) => will[method] && reaches(method));
  const way = isReached ? undefined : toReach.find((method) => reaches(method));
  // Recovery codes back up another factor, so they come last.
  return [...demanded, ...(way === undefined ? [] : [way])].toSorted(
    (left, right) => rankOfMethod(right) - rankOfMethod(left),
  );
}

/** Whether the client and the requested rank accept a factor. */
function isAcceptedAs(method: FactorMethod, client: FlowDemands | undefined, rank: number): boolean {
  const levels = client?.mfaLevels ?? defaultLevels;
  const isEnough = levels[method] >= levelNumber(client?.requiredMfaLevel, levels);
  return isEnough && isSupported(method, client) && rankOfMethod(method) >= rank;
}

/**
 * `isNeeded`: whether a second factor is required, which it always is for an account that has one. Recovery codes replace a
 * lost factor; on their own they are not one. `methods`: the factors that the user can use, in the order in which the page
 * offers them. `acceptsCode`: whether a code from the help desk may take their place, as a recovery code may. `missing`: those that the client demands and the account lacks, which are set up before the sign-in continues.
 */
export function neededFactors(
  { hasTotp, recoveryCodesLeft, webauthnCredentials }: EnrolledFactors,
  client: FlowDemands | undefined,
  acrValues: readonly string[] = [],
) {
  const isNeeded = hasTotp || webauthnCredentials > 0;
  const has = { webauthn: webauthnCredentials > 0, totp: hasTotp, recovery: recoveryCodesLeft > 0 };
  const missing = missingOf(has, client);
  if (!isNeeded) return { isNeeded, methods: [], missing, acceptsCode: false };
  const usable = strongest.filter((method) => has[method] && isSupported(method, client));
  const levels = client?.mfaLevels ?? defaultLevels;
  const level = levelNumber(client?.requiredMfaLevel, levels);
  const enough = usable.filter((method) => levels[method] >= level);
  const rank = wantedRank(acrValues) ?? 0;
  const wished = enough.filter((method) => rankOfMethod(method) >= rank);
  const acceptsCode = missing.length === 0 && isAcceptedAs("recovery", client, rank);
  if (wished.length > 0) return { isNeeded, methods: wished, missing, acceptsCode };
  // A weaker factor admits the user to setting up the demanded one.
  return { isNeeded, methods: missing.length > 0 ? usable : enough, missing, acceptsCode };
}
