import {
  authenticate,
  authPolicyAllow,
  authPolicyReport,
  authPolicyReset,
  beginRehearsal,
  cacheFlushScript,
  describeAccount,
  findDomain,
  listAccounts,
  locateAddresses,
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
  scriptModule,
} from "@postern/shared/contracts";
import type { Serving } from "@postern/shared/platform/bus";
import { createAuthenticate } from "./authenticate.ts";
import type { EngineContext } from "./context.ts";
import { makeDovecot } from "./dovecot/context.ts";

/** Limit of concurrent list pages: listings are rare and large, and must leave the backends to sign-ins. */
const maxListings = 16;
/** Operators read the pages of accounts one at a time; each description asks every backend. */
const maxDescriptions = 16;
/** Pages about sign-ins; each looks up some hundred addresses in memory. */
const maxLocating = 16;
/** Jobs flush one name after the other. */
const maxFlushScripts = 16;
/** Other services ask for a record once, and keep it. */
const maxDomains = 256;
/** An engine runs one, and refuses the others. */
const maxRehearsals = 16;
/** Limit of hook calls that wait for a database or a backend. */
const maxModuleCalls = 64;

/** Operators reset one address or account after the other. */
const maxResets = 16;
/** Second factors are requested by people and must not take the backends away from mail sign-ins. */
const maxOfFactors = 64;

/** Joins the queue group of each method that an engine serves, and serves it on a subject of the engine's own. */
export function serveEngine(context: EngineContext): readonly Serving[] {
  const { bus, settings, engineId: instance, scripts, secondFactors, appPasswords } = context;
  const { maxInFlight } = settings;
  const dovecot = makeDovecot(context);
  const ofFactors = { maxInFlight: maxOfFactors, instance };
  return [
    bus.serve(authenticate, createAuthenticate(context), { maxInFlight, instance }),
    bus.serve(listAccounts, context.listAccounts, { maxInFlight: maxListings, instance }),
    bus.serve(describeAccount, context.describeAccount, { maxInFlight: maxDescriptions, instance }),
    bus.serve(findDomain, context.domains.findDomain, { maxInFlight: maxDomains, instance }),
    bus.serve(locateAddresses, context.locateAddresses, { maxInFlight: maxLocating, instance }),
    bus.serve(cacheFlushScript, scripts.runCacheFlushScript, { maxInFlight: maxFlushScripts, instance }),
    bus.serve(scriptModule, scripts.callScriptModule, { maxInFlight: maxModuleCalls, instance }),
    bus.serve(beginRehearsal, context.rehearsing.begin, { maxInFlight: maxRehearsals, instance }),
    bus.serve(authPolicyAllow, dovecot.allow, { maxInFlight, instance }),
    bus.serve(authPolicyReport, dovecot.report, { maxInFlight, instance }),
    bus.serve(authPolicyReset, dovecot.reset, { maxInFlight: maxResets, instance }),
    bus.serve(mfaFactorsRead, secondFactors.readFactors, ofFactors),
    bus.serve(mfaTotpSet, secondFactors.setTotp, ofFactors),
    bus.serve(mfaTotpDelete, secondFactors.deleteTotp, ofFactors),
    bus.serve(mfaRecoveryCodesSet, secondFactors.setRecoveryCodes, ofFactors),
    bus.serve(mfaRecoveryCodesDelete, secondFactors.deleteRecoveryCodes, ofFactors),
    bus.serve(mfaRecoveryCodeRedeem, secondFactors.redeemRecoveryCode, ofFactors),
    bus.serve(mfaWebauthnList, secondFactors.listWebauthn, ofFactors),
    bus.serve(mfaWebauthnSave, secondFactors.saveWebauthn, ofFactors),
    bus.serve(mfaWebauthnUpdate, secondFactors.updateWebauthn, ofFactors),
    bus.serve(mfaWebauthnDelete, secondFactors.deleteWebauthn, ofFactors),
    bus.serve(mfaAppPasswordsList, appPasswords.listAppPasswords, ofFactors),
    bus.serve(mfaAppPasswordCreate, appPasswords.createAppPassword, ofFactors),
    bus.serve(mfaAppPasswordRevoke, appPasswords.revokeAppPassword, ofFactors),
  ];
}
