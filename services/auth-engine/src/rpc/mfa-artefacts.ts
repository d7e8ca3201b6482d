import type { Bus, Serving } from "@postern/shared/bus";
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
import type { AppPasswords } from "../mfa-artefacts/app-passwords.ts";
import type { SecondFactors } from "../mfa-artefacts/second-factors.ts";

export interface MfaArtefactsDeps {
  readonly bus: Bus;
  readonly secondFactors: SecondFactors;
  readonly appPasswords: AppPasswords;
}

/** Of each method: second factors are asked for by people, and must leave the directories to mail logins. */
const maxInFlight = 64;

/** Answers the bus methods `auth-engine.mfa-artefacts-…`. */
export function serveMfaArtefacts({ bus, secondFactors, appPasswords }: MfaArtefactsDeps): readonly Serving[] {
  const options = { maxInFlight };
  return [
    bus.serve(mfaFactorsRead, secondFactors.read, options),
    bus.serve(mfaTotpSet, secondFactors.setTotp, options),
    bus.serve(mfaTotpDelete, secondFactors.deleteTotp, options),
    bus.serve(mfaRecoveryCodesSet, secondFactors.setRecoveryCodes, options),
    bus.serve(mfaRecoveryCodesDelete, secondFactors.deleteRecoveryCodes, options),
    bus.serve(mfaRecoveryCodeRedeem, secondFactors.redeemRecoveryCode, options),
    bus.serve(mfaWebauthnList, secondFactors.listWebauthn, options),
    bus.serve(mfaWebauthnSave, secondFactors.saveWebauthn, options),
    bus.serve(mfaWebauthnUpdate, secondFactors.updateWebauthn, options),
    bus.serve(mfaWebauthnDelete, secondFactors.deleteWebauthn, options),
    bus.serve(mfaAppPasswordsList, appPasswords.list, options),
    bus.serve(mfaAppPasswordCreate, appPasswords.create, options),
    bus.serve(mfaAppPasswordRevoke, appPasswords.revoke, options),
  ];
}
