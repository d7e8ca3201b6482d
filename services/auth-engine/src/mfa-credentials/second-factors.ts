import type {
  MfaRefusal,
  MfaTarget,
  mfaFactorsRead,
  mfaRecoveryCodeRedeem,
  mfaWebauthnDelete,
  mfaWebauthnList,
  mfaWebauthnSave,
  mfaWebauthnUpdate,
  Reply,
  Request,
} from "@postern/shared/contracts";
import type { CallContext } from "../decision/call-context.ts";

type Done = { readonly outcome: "ok" } | MfaRefusal;

/** What the bus methods about second factors do. Each throws an `AppError` if the backend cannot answer. */
export interface SecondFactors {
  readonly read: (
    request: Request<typeof mfaFactorsRead>,
    context: CallContext,
  ) => Promise<Reply<typeof mfaFactorsRead>>;
  readonly setTotp: (request: MfaTarget & { readonly secret: string }, context: CallContext) => Promise<Done>;
  readonly deleteTotp: (request: MfaTarget, context: CallContext) => Promise<Done>;
  readonly setRecoveryCodes: (request: MfaTarget & { readonly codes: string[] }, context: CallContext) => Promise<Done>;
  readonly deleteRecoveryCodes: (request: MfaTarget, context: CallContext) => Promise<Done>;
  readonly redeemRecoveryCode: (
    request: Request<typeof mfaRecoveryCodeRedeem>,
    context: CallContext,
  ) => Promise<Reply<typeof mfaRecoveryCodeRedeem>>;
  readonly listWebauthn: (request: MfaTarget, context: CallContext) => Promise<Reply<typeof mfaWebauthnList>>;
  readonly saveWebauthn: (
    request: Request<typeof mfaWebauthnSave>,
    context: CallContext,
  ) => Promise<Reply<typeof mfaWebauthnSave>>;
  readonly updateWebauthn: (
    request: Request<typeof mfaWebauthnUpdate>,
    context: CallContext,
  ) => Promise<Reply<typeof mfaWebauthnUpdate>>;
  readonly deleteWebauthn: (
    request: Request<typeof mfaWebauthnDelete>,
    context: CallContext,
  ) => Promise<Reply<typeof mfaWebauthnDelete>>;
}
