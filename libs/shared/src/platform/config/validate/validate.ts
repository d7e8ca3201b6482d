import type { Config } from "../schema/root.ts";
import { validateBackchannel } from "./backchannel.ts";
import { validateBackends } from "./backends.ts";
import { validateBruteForce } from "./brute-force.ts";
import { validateConsole } from "./console.ts";
import { validateControls } from "./controls.ts";
import { validateExposure } from "./exposure.ts";
import { validateFrontend } from "./frontend.ts";
import type { Judgement, Validator } from "./judgement.ts";
import { validateLdap } from "./ldap.ts";
import { validateLua } from "./lua.ts";
import { validateMailClients } from "./mail-clients.ts";
import { validateMailTokens } from "./mail-tokens.ts";
import { validateMasterUser } from "./master-user.ts";
import { validateMfaDemands } from "./mfa-demands.ts";
import { validateNotifications } from "./notifications.ts";
import { validateOauthBearer } from "./oauthbearer.ts";
import { validateObservability } from "./observability.ts";
import { validateOidc } from "./oidc.ts";
import { validateRegisteredMailClients } from "./oidc-mail.ts";
import { validateDynamicRegistration } from "./oidc-registration.ts";
import { validatePipeline } from "./pipeline.ts";
import { validatePolicy } from "./policy.ts";
import { validateProtocolCoverage } from "./protocol-coverage.ts";
import { validateRisk } from "./risk.ts";
import { validateRuntime } from "./runtime.ts";
import { validateSaml } from "./saml.ts";
import { validateServices } from "./services.ts";
import { validateSql } from "./sql.ts";
import { validateStorage } from "./storage.ts";
import { validateSubject } from "./subject.ts";

const validators: readonly Validator[] = [
  validateRuntime,
  validateObservability,
  validateStorage,
  validateBackchannel,
  validateOauthBearer,
  validateOidc,
  validateRegisteredMailClients,
  validateMailTokens,
  validateDynamicRegistration,
  validateBackends,
  validateLdap,
  validateSql,
  validateFrontend,
  validateConsole,
  validateSaml,
  validateSubject,
  validateMfaDemands,
  validateNotifications,
  validateMailClients,
  validateBruteForce,
  validateControls,
  validateMasterUser,
  validatePipeline,
  validatePolicy,
  validateRisk,
  validateServices,
  validateLua,
  validateProtocolCoverage,
  validateExposure,
];

/** Rules between keys; rules of one key are in its schema. */
export function validate(config: Config, judgement: Judgement): void {
  for (const rule of validators) rule(config, judgement);
}
