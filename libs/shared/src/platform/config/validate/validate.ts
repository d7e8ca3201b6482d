import { messages } from "../messages.ts";
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
import { validateMailClients } from "./mail-clients.ts";
import { validateMailTokens } from "./mail-tokens.ts";
import { validateMasterUser } from "./master-user.ts";
import { validateMfaDemands } from "./mfa-demands.ts";
import { validateNotifications } from "./notifications.ts";
import { validateOauthBearer } from "./oauthbearer.ts";
import { validateOidc } from "./oidc.ts";
import { validateRegisteredMailClients } from "./oidc-mail.ts";
import { validateDynamicRegistration } from "./oidc-registration.ts";
import { validatePolicy } from "./policy.ts";
import { validateProtocolCoverage } from "./protocol-coverage.ts";
import { validateRuntime } from "./runtime.ts";
import { validateSaml } from "./saml.ts";
import { validateServices } from "./services.ts";
import { validateSql } from "./sql.ts";

const roles = ["state", "queue", "cache"] as const;

const cacheSecrets = ["password_nonce", "encryption_secret"] as const;

/** Caches in Redis are encrypted and contain passwords only as keyed digests. */
function validateCacheSecrets({ storage, auth }: Config, { problem }: Judgement): void {
  const { redis } = storage;
  const isShared = auth.backends.order.includes("cache");
  if (!isShared && !redis.identity_cache.enabled) return;
  const user = isShared ? "auth.backends.order contains cache" : "storage.redis.identity_cache.enabled is true";
  for (const name of cacheSecrets) {
    if (redis[name] === "") problem(`storage.redis.${name}`, messages.needsWhen(user));
  }
}

function validateStorage(config: Config, judgement: Judgement): void {
  const { problem } = judgement;
  validateCacheSecrets(config, judgement);
  const { redis } = config.storage;
  redis.encryption_secrets_old.forEach(({ secret }, index) => {
    if (secret === "") problem(`storage.redis.encryption_secrets_old[${index}].secret`, messages.required);
  });
  if (redis.encryption_secret === "" && redis.encryption_secrets_old.length > 0) {
    problem("storage.redis.encryption_secret", messages.needsWhen("encryption_secrets_old has entries"));
  }
  for (const role of roles) {
    const { sentinels, tls } = redis.roles[role];
    const path = `storage.redis.roles.${role}`;
    if (sentinels.master !== "" && sentinels.addresses.length === 0) {
      problem(`${path}.sentinels.addresses`, messages.needsWhen(`${path}.sentinels.master is set`));
    }
    if (tls.cert !== "" && tls.key === "") problem(`${path}.tls.cert`, messages.pairOfFiles(`${path}.tls.key`));
    if (tls.key !== "" && tls.cert === "") problem(`${path}.tls.key`, messages.pairOfFiles(`${path}.tls.cert`));
  }
}

const controls = "auth.controls.lua";
const backend = "auth.backends.lua.backend";

function validateLua(config: Config, { problem }: Judgement): void {
  const { lua } = config.auth.controls;
  const { search, default: pool } = config.auth.backends.lua.backend;
  const routes = new Set<string>();
  lua.hooks.forEach(({ http_location, http_method, public: isPublic, scopes }, index) => {
    const at = `${controls}.hooks[${index}]`;
    const route = `${http_method} ${http_location}`;
    if (!/^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/.test(http_location))
      problem(`${at}.http_location`, messages.hookPath);
    if (routes.has(route)) problem(`${at}.http_location`, messages.hookTwice);
    if (isPublic && scopes.length > 0) problem(`${at}.scopes`, messages.publicWithScopes);
    routes.add(route);
  });
  for (const kind of ["environment", "subject", "actions"] as const) {
    const names = lua[kind].map(({ name }) => name);
    names.forEach((name, index) => {
      if (names.indexOf(name) < index) problem(`${controls}.${kind}[${index}].name`, messages.userTwice);
    });
  }
  const isBackendEnabled = config.auth.backends.order.some((entry) => entry.trim() === "lua");
  if (isBackendEnabled && pool.backend_script_path === "") {
    problem(`${backend}.default.backend_script_path`, messages.needsWhen("auth.backends.order contains lua"));
  }
  const served = new Set<string>();
  search.forEach(({ protocol }, index) => {
    const twice = protocol.find((one) => served.has(one));
    if (twice !== undefined) problem(`${backend}.search[${index}].protocol`, messages.protocolTwice(twice));
    for (const one of protocol) served.add(one);
  });
}

/** Protocols with which the sign-in pages query backends. */
const pageProtocols: ReadonlySet<string> = new Set(["oidc", "saml", "idp", "*"]);

interface Search {
  readonly protocol: readonly string[];
  readonly mapping: { readonly unique_user_id_field: string };
}

/** Warns where subjects are account names: a renamed user appears as a new one, and a reassigned name inherits access. */
function validateSubject({ auth, identity }: Config, { warning }: Judgement): void {
  const { oidc, saml, subject } = identity;
  if (subject !== "unique_id" || !(oidc.enabled || saml.enabled)) return;
  const { order, ldap, sql } = auth.backends;
  const searches: readonly (readonly [string, readonly Search[]])[] = [
    ["ldap", ldap.search],
    ["sql", sql.search],
  ];
  for (const [kind, entries] of searches) {
    if (!order.some((name) => name === kind || name.startsWith(`${kind}(`))) continue;
    entries.forEach(({ protocol, mapping }, index) => {
      if (mapping.unique_user_id_field !== "" || !protocol.some((name) => pageProtocols.has(name))) return;
      warning(`auth.backends.${kind}.search[${index}].mapping.unique_user_id_field`, messages.noUniqueUserId);
    });
  }
  const { enabled, username_claims } = auth.oauthbearer;
  if (oidc.enabled && enabled && username_claims.every((claim) => claim === "sub")) {
    warning("auth.oauthbearer.username_claims", messages.subjectNamesNobody);
  }
}

const responses: readonly string[] = ["notify", "delay", "second_factor", "hold_submission", "hold_mail", "deny"];

function validateRisk({ auth }: Config, { problem, warning }: Judgement): void {
  const { risk, controls } = auth;
  for (const level of ["suspicious", "dangerous"] as const) {
    if (risk[level].responses.some((name) => !responses.includes(name))) {
      problem(`auth.risk.${level}.responses`, messages.mustBe(`a list of ${responses.join(", ")}`));
    }
  }
  if (risk.dangerous.score < risk.suspicious.score) {
    problem("auth.risk.dangerous.score", messages.tooSmall("auth.risk.suspicious.score"));
  }
  if (risk.mode === "enforce" && !controls.enabled.includes("brute_force")) {
    warning("auth.risk.mode", messages.needsBruteForce);
  }
}

function validateObservability(config: Config, { problem, warning }: Judgement): void {
  const { endpoint_enabled, endpoint_auth } = config.observability.metrics;
  const { basic } = endpoint_auth;
  const path = "observability.metrics.endpoint_auth.basic";
  for (const name of ["username", "password"] as const) {
    if (basic.enabled && basic[name] === "") problem(`${path}.${name}`, messages.needsWhen(`${path}.enabled is true`));
  }
  if (endpoint_enabled && !basic.enabled) warning("observability.metrics.endpoint_enabled", messages.metricsOpen);
}

const root = "auth.pipeline";

function validatePipeline({ auth }: Config, { problem }: Judgement): void {
  auth.pipeline.decoy_passwords.forEach(({ stored }, index) => {
    if (stored === "") problem(`${root}.decoy_passwords[${index}].stored`, messages.required);
  });
}

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
