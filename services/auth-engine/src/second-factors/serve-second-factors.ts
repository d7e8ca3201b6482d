import {
  mfaAppPasswordCreate,
  mfaAppPasswordRevoke,
  mfaAppPasswordsList,
  mfaFactorsRead,
  mfaRecoveryCodeRedeem,
  mfaRecoveryCodesDelete,
  mfaRecoveryCodesSet,
  mfaTotpDelete,
  mfaTotpSet,
  mfaWebauthnDelete,
  mfaWebauthnList,
  mfaWebauthnSave,
  mfaWebauthnUpdate,
} from "@postern/shared/contracts";
import type { Bus, Serving } from "@postern/shared/platform/bus";
import type { AppPasswords } from "./app-passwords.ts";
import type { SecondFactors } from "./second-factors.ts";

/**
 * Limit for each method: second factors are requested by people and must not take the backends away from mail sign-ins.
 */
const maxInFlight = 64;

/**
 * Answers the bus methods `auth-engine.mfa-artefacts-…`.
 * @param instance the engine's name in its heartbeats.
 */
export function serveSecondFactors(
  bus: Bus,
  instance: string,
  secondFactors: SecondFactors,
  appPasswords: AppPasswords,
): readonly Serving[] {
  const options = { maxInFlight, instance };
  return [
    bus.serve(mfaFactorsRead, secondFactors.readFactors, options),
    bus.serve(mfaTotpSet, secondFactors.setTotp, options),
    bus.serve(mfaTotpDelete, secondFactors.deleteTotp, options),
    bus.serve(mfaRecoveryCodesSet, secondFactors.setRecoveryCodes, options),
    bus.serve(mfaRecoveryCodesDelete, secondFactors.deleteRecoveryCodes, options),
    bus.serve(mfaRecoveryCodeRedeem, secondFactors.redeemRecoveryCode, options),
    bus.serve(mfaWebauthnList, secondFactors.listWebauthn, options),
    bus.serve(mfaWebauthnSave, secondFactors.saveWebauthn, options),
    bus.serve(mfaWebauthnUpdate, secondFactors.updateWebauthn, options),
    bus.serve(mfaWebauthnDelete, secondFactors.deleteWebauthn, options),
    bus.serve(mfaAppPasswordsList, appPasswords.listAppPasswords, options),
    bus.serve(mfaAppPasswordCreate, appPasswords.createAppPassword, options),
    bus.serve(mfaAppPasswordRevoke, appPasswords.revokeAppPassword, options),
  ];
}
