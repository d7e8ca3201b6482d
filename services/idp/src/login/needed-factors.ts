import type { FactorMethod, FlowClient } from "../flow/flow-record.ts";
import type { EnrolledFactors } from "../mfa/factors.ts";
import { rankOfMethod, wantedRank } from "./acr.ts";
import { defaultLevels, levelNumber, methodNamed } from "./factor-levels.ts";

export interface NeededFactors {
  /** Whether a second factor is asked for at all: whoever has one is always asked. */
  readonly isNeeded: boolean;
  /** Those that can be shown, in the order in which they are offered. */
  readonly methods: readonly FactorMethod[];
  /** Those that the client demands and the account does not have: they are set up before the sign-in goes on. */
  readonly missing: readonly FactorMethod[];
}

type Demands = Pick<FlowClient, "supportedMfa" | "requireMfa" | "requiredMfaLevel" | "mfaLevels">;

export function isSupported(method: FactorMethod, client: Pick<FlowClient, "supportedMfa"> | undefined): boolean {
  const supported = client?.supportedMfa ?? [];
  return supported.length === 0 || supported.some((name) => methodNamed(name) === method);
}

const strongest = ["webauthn", "totp", "recovery"] as const;
/** What is set up to reach a level, the easier first. */
const toReach = ["totp", "webauthn"] as const;

function missingOf(has: Readonly<Record<FactorMethod, boolean>>, client: Demands | undefined): readonly FactorMethod[] {
  const demanded = (client?.requireMfa ?? [])
    .map((name) => methodNamed(name))
    .filter((method): method is FactorMethod => method !== undefined && !has[method]);
  const levels = client?.mfaLevels ?? defaultLevels;
  const level = levelNumber(client?.requiredMfaLevel, levels);
  const will = { ...has, ...Object.fromEntries(demanded.map((method) => [method, true])) };
  const reaches = (method: FactorMethod): boolean => isSupported(method, client) && levels[method] >= level;
  const isReached = level === 0 || toReach.some((method) => will[method] && reaches(method));
  const way = isReached ? undefined : toReach.find((method) => reaches(method));
  // Recovery codes are made for another factor: they come last.
  return [...demanded, ...(way === undefined ? [] : [way])].toSorted(
    (left, right) => rankOfMethod(right) - rankOfMethod(left),
  );
}

/** Recovery codes stand in for a factor that was lost; on their own they are none. */
export function neededFactors(
  { hasTotp, recoveryCodesLeft, webauthnCredentials }: EnrolledFactors,
  client: Demands | undefined,
  acrValues: readonly string[] = [],
): NeededFactors {
  const isNeeded = hasTotp || webauthnCredentials > 0;
  const has = { webauthn: webauthnCredentials > 0, totp: hasTotp, recovery: recoveryCodesLeft > 0 };
  const missing = missingOf(has, client);
  if (!isNeeded) return { isNeeded, methods: [], missing };
  const usable = strongest.filter((method) => has[method] && isSupported(method, client));
  const levels = client?.mfaLevels ?? defaultLevels;
  const level = levelNumber(client?.requiredMfaLevel, levels);
  const enough = usable.filter((method) => levels[method] >= level);
  const rank = wantedRank(acrValues) ?? 0;
  const wished = enough.filter((method) => rankOfMethod(method) >= rank);
  if (wished.length > 0) return { isNeeded, methods: wished, missing };
  // A lesser factor opens the way to the one that is to be set up.
  return { isNeeded, methods: missing.length > 0 ? usable : enough, missing };
}
