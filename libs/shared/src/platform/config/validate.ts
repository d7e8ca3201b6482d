import { validateServices } from "./sections/auth.ts";
import { validateBackchannel } from "./sections/auth-backchannel.ts";
import { validateBackends, validateProtocolCoverage } from "./sections/auth-backends.ts";
import { validateBruteForce } from "./sections/auth-brute-force.ts";
import { validateControls } from "./sections/auth-controls.ts";
import { validateDomains } from "./sections/auth-domains.ts";
import { validateRemoteBackends } from "./sections/auth-http.ts";
import { validateLdap } from "./sections/auth-ldap.ts";
import { validateLua } from "./sections/auth-lua.ts";
import { validateOauthBearer } from "./sections/auth-oauthbearer.ts";
import { validatePipeline } from "./sections/auth-pipeline.ts";
import { validatePolicy } from "./sections/auth-policy.ts";
import { validateRisk } from "./sections/auth-risk.ts";
import { validateShadow } from "./sections/auth-shadow.ts";
import { validateSql } from "./sections/auth-sql.ts";
import type { Judgement } from "./sections/checks.ts";
import { validateSubject } from "./sections/identity.ts";
import { validateFrontend } from "./sections/identity-frontend.ts";
import { validateMailClients } from "./sections/identity-mail-clients.ts";
import { validateLostPhone, validateMfaDemands } from "./sections/identity-mfa.ts";
import { validateNotifications } from "./sections/identity-notices.ts";
import { validateOidc } from "./sections/identity-oidc.ts";
import { validateSaml } from "./sections/identity-saml.ts";
import { validateObservability } from "./sections/observability.ts";
import type { Config } from "./sections/root.ts";
import { validateRuntime } from "./sections/runtime.ts";
import { validateConsole } from "./sections/runtime-console.ts";
import { validateStorage } from "./sections/storage.ts";

const validators: readonly ((config: Config, judgement: Judgement) => void)[] = [
  validateRuntime,
  validateObservability,
  validateStorage,
  validateBackchannel,
  validateOauthBearer,
  validateOidc,
  validateBackends,
  validateLdap,
  validateSql,
  validateShadow,
  validateRemoteBackends,
  validateDomains,
  validateFrontend,
  validateConsole,
  validateSaml,
  validateSubject,
  validateMfaDemands,
  validateLostPhone,
  validateNotifications,
  validateMailClients,
  validateBruteForce,
  validateControls,
  validatePipeline,
  validatePolicy,
  validateRisk,
  validateServices,
  validateLua,
  validateProtocolCoverage,
];

/** Rules between keys; rules of one key are in its schema. */
export function validate(config: Config, judgement: Judgement): void {
  for (const rule of validators) rule(config, judgement);
}
