import { callerOperationNames } from "../../../contracts/caller-operations.ts";
import { canonicalDomain } from "../../net/canonical-domain.ts";
import { checkForm } from "../forms.ts";
import { messages } from "../messages.ts";
import type { ValueOf } from "../tree/node.ts";
import {
  checkDefaultDomain,
  checkDomains,
  checkEnabled,
  checkFilled,
  checkNames,
  checkUnique,
  type Judgement,
  usesDomains,
} from "./checks.ts";
import { dayMs, duration, entries, flag, liveSection, secret, section, text, texts } from "./fields.ts";
import type { Config } from "./root.ts";

const OidcBearer = section("Authentication of API callers with OIDC access tokens.", {
  enabled: flag("Whether API callers may present access tokens of the identity provider."),
  issuer: text(
    "Issuer of the tokens. While it is empty, every access token is answered with a temporary failure (503).",
    { form: "http-url" },
  ),
  audience: text(
    "Audience that the tokens must name, and that the identity provider writes into clients' own tokens. The same for all services. If empty, it is <identifier>:backchannel.",
  ),
  jwks_file: text("Path of a file with the public keys as a JWK set. If empty, the keys are fetched from jwks_url."),
  jwks_url: text("URL of the public keys. If empty, it is /oidc/jwks below runtime.services.idp.url.", {
    form: "http-url",
  }),
  jwks_refresh: duration("5m", "Interval at which the keys are read again.", { minimum: 1000 }),
  cache_ttl: duration("60s", "Time for which a gateway treats a token as verified. 0 verifies it for every request.", {
    maximum: 3_600_000,
  }),
  revocation_ttl: duration("5s", "Longest time for which a revoked token is still accepted.", {
    minimum: 100,
    maximum: 60_000,
  }),
  clock_skew: duration("10s", "Tolerated difference between clocks when a token's times are checked.", {
    maximum: 60_000,
  }),
});

const domains = texts(
  "Domains whose accounts the caller may reach: names or aliases of domains, such as example.org. Accounts of others are unknown to it, and what concerns the whole site is refused (403). If empty, it may reach all.",
);

const JwtUser = liveSection("A user who may request a JWT.", {
  username: text("User name.", { maxLength: 255 }),
  password: secret("Password hash: Argon2, bcrypt, SHA-crypt or salted SHA."),
  roles: texts("Roles of the user: `authenticate`, `security`, `admin`, or names that custom hooks require."),
  domains,
});

const Jwt = section("Authentication of API callers with the JWTs of POST /api/v1/jwt/token.", {
  enabled: flag("Whether JWTs are issued and accepted."),
  secret_key: secret("Signing key, identical in gateway and admin.", { minLength: 32 }),
  token_expiry: duration("1h", "Lifetime of a token.", { minimum: 1000, maximum: dayMs, reload: "live" }),
  refresh_token_expiry: duration("24h", "Lifetime of a refresh token.", { minimum: 1000, reload: "live" }),
  directory_roles: texts(
    "Roles of backend users who are not listed under `users`. If empty, they do not receive a token (403).",
    { reload: "live" },
  ),
  users: entries("Users who may request a JWT. They are checked before the backends.", JwtUser),
});

const NamedCaller = liveSection("An API caller with its own HTTP Basic credentials.", {
  name: text(
    "User name of the caller. Once the caller has authenticated, log, audit stream and metrics contain this name.",
    { form: "caller-name" },
  ),
  password: secret("Password.", { minLength: 16 }),
  next_password: secret("Second valid password, for a rotation. If empty, only `password` is valid.", {
    minLength: 16,
  }),
  networks: texts(
    "Addresses and networks from which the credentials are accepted. If empty, they are accepted from everywhere.",
    { form: "network" },
  ),
  operations: texts(
    "Operations that the caller may use: `authenticate`, `lookup`, `list-accounts`, `auth-policy`, `flush`, `bans`, `second-factors`, `oidc-sessions`, `oidc-clients`, `signing-keys`, `failed-sign-ins`, `help-desk`, `domains`, `hooks`, `configuration`, or operation IDs of docs/reference/api/management.yaml. If empty, the caller is administrative and may use all of them.",
  ),
  domains,
  default_domain: text(
    "Domain of user names without one. If empty, the only one of `domains`, or else auth.domains.default_domain.",
  ),
});

export const Backchannel = section("Authentication of API callers.", {
  basic_auth: liveSection("One administrative API caller that authenticates with HTTP Basic.", {
    enabled: flag("Whether these credentials are accepted."),
    username: text("User name."),
    password: secret("Password.", { minLength: 16 }),
  }),
  callers: entries(
    "Named API callers, each with its own passwords, in addition to `basic_auth`. Use one for each mail server.",
    NamedCaller,
  ),
  oidc_bearer: OidcBearer,
  jwt: Jwt,
});

type NamedCallerConfig = ValueOf<typeof NamedCaller>;

const root = "auth.backchannel";

function validateJwt({ auth }: Config, judgement: Judgement): void {
  const { jwt } = auth.backchannel;
  if (!jwt.enabled) return;
  checkEnabled(jwt, `${root}.jwt`, ["secret_key"], judgement);
  const { problem } = judgement;
  const list = `${root}.jwt.users`;
  checkFilled(jwt.users, list, "username", judgement);
  jwt.users.forEach(({ password }, index) => {
    const expected = checkForm("password-hash", password);
    if (expected !== undefined) problem(`${list}[${index}].password`, messages.mustBe(expected));
  });
  checkUnique(jwt.users, [list, "username"], messages.userTwice, judgement);
}

function validateCallers({ auth }: Config, judgement: Judgement): void {
  const { problem } = judgement;
  const { basic_auth, callers } = auth.backchannel;
  const list = `${root}.callers`;
  checkFilled(callers, list, "name", judgement);
  checkFilled(callers, list, "password", judgement);
  callers.forEach(({ password, next_password, operations }, index) => {
    const path = `${list}[${index}]`;
    if (password !== "" && password === next_password) problem(`${path}.next_password`, messages.samePassword);
    checkNames(operations, callerOperationNames, `${path}.operations`, (at, name, hint) =>
      problem(at, messages.notForCallers(name), hint),
    );
  });
  checkUnique(callers, [list, "name"], messages.userTwice, judgement);
  if (!basic_auth.enabled) return;
  callers.forEach(({ name }, index) => {
    if (name === basic_auth.username) problem(`${list}[${index}].name`, messages.callerOfPair);
  });
}

/** The domain that a caller means by a name without one; empty for that of the site. */
export function callerDefaultDomain({
  domains: names,
  default_domain: own = "",
}: Pick<NamedCallerConfig, "domains"> & Partial<NamedCallerConfig>): string {
  const [first = "", ...others] = names;
  return own === "" && others.length === 0 ? first : own;
}

/** Callers that are limited to domains. */
function validateCallerDomains(config: Config, judgement: Judgement): void {
  const { callers, jwt } = config.auth.backchannel;
  const { problem } = judgement;
  const checkOwn = (names: readonly string[], path: string): void => {
    if (names.length > 0 && !usesDomains(config)) problem(path, messages.needsDomains);
    checkDomains(names, path, judgement);
  };
  jwt.users.forEach((user, index) => checkOwn(user.domains, `${root}.jwt.users[${index}].domains`));
  callers.forEach(({ domains: names, default_domain: own }, index) => {
    const path = `${root}.callers[${index}]`;
    checkOwn(names, `${path}.domains`);
    checkDefaultDomain(config, own, `${path}.default_domain`, judgement);
    const isOwn = names.length === 0 || names.some((name) => canonicalDomain(name) === canonicalDomain(own));
    if (own !== "" && !isOwn) problem(`${path}.default_domain`, messages.mustBe("one of domains"));
  });
}

export function validateBackchannel(config: Config, judgement: Judgement): void {
  const { basic_auth, callers, oidc_bearer, jwt } = config.auth.backchannel;
  checkEnabled(basic_auth, `${root}.basic_auth`, ["username", "password"], judgement);
  if (oidc_bearer.enabled && oidc_bearer.issuer === "") {
    judgement.warning(`${root}.oidc_bearer.issuer`, messages.noTokenIssuer);
  }
  validateCallers(config, judgement);
  validateCallerDomains(config, judgement);
  validateJwt(config, judgement);
  if (!basic_auth.enabled && callers.length === 0 && !oidc_bearer.enabled && !jwt.enabled) {
    judgement.warning(root, config.runtime.developer_mode ? messages.openCallers : messages.noCallers);
  }
}

/** The audience of callers' access tokens: `auth.backchannel.oidc_bearer.audience`, else `<identifier>:backchannel`. */
export function backchannelAudience({ auth, runtime }: Config): string {
  const { audience } = auth.backchannel.oidc_bearer;
  return audience === "" ? `${runtime.naming.identifier}:backchannel` : audience;
}
