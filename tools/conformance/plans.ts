import { pathTo } from "@postern/shared/contracts";
import { type KeyedClient, type Keys, secretOf } from "./clients.ts";
import type { Behaviour } from "./user.ts";

export interface ConformancePlan {
  /** Short name, for the command line and the results. */
  readonly name: string;
  /** The suite's name of the plan. */
  readonly plan: string;
  readonly variant: Readonly<Record<string, string>>;
  /** The suite's configuration, without what all plans share. */
  readonly configuration: (keys: Keys) => object;
}

/** What all plans share: the suite uses the alias in the addresses where it plays the client. */
export const alias = "postern";

const withSecret = (id: string): object => ({ client_id: id, client_secret: secretOf(id), scope: "openid" });
const withKey = ({ id, jwk }: KeyedClient, scope: string): object => ({ client_id: id, scope, jwks: { keys: [jwk] } });

const basic = () => ({
  client: withSecret("basic-1"),
  client2: withSecret("basic-2"),
  client_secret_post: withSecret("basic-post"),
});
/** The suite registers its clients. */
const registered = () => ({ client: { client_name: "Conformance" } });
const notified = (id: string) => () => ({ ...basic(), client: withSecret(id) });
const key = ({ oidc: [first, second] }: Keys) => ({
  client: withKey(first, "openid"),
  client2: withKey(second, "openid"),
});

const fapiScope = "openid email offline_access";
const withProofKey = (client: KeyedClient): object => ({ ...withKey(client, fapiScope), dpop_signing_alg: "ES256" });

const fapi =
  (resourceUrl: string, kind: "fapi" | "draft" | "signed") =>
  ({ [kind]: [first, second] }: Keys) => ({
    client: withProofKey(first),
    client2: withProofKey(second),
    resource: { resourceUrl },
  });

/** A client's certificate and key as PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** The provider under test. */
export interface Provided {
  readonly issuer: string;
  /** Base of the addresses where clients show certificates. */
  readonly mutualUrl: string;
  /** Certificates of the clients `Keys.mutual`, in their order. */
  readonly certificates: readonly ClientCertificate[];
}

const mutual =
  ({ mutualUrl, certificates: [mtls, mtls2] }: Provided) =>
  ({ mutual: [first, second] }: Keys) => ({
    client: withKey(first, fapiScope),
    client2: withKey(second, fapiScope),
    mtls,
    mtls2,
    resource: { resourceUrl: `${mutualUrl}${pathTo("userinfo")}` },
  });

const certification = { server_metadata: "discovery", client_registration: "static_client" };
const logout = { response_type: "code", client_registration: "static_client" };
const fapiVariant = {
  openid: "openid_connect",
  client_auth_type: "private_key_jwt",
  sender_constrain: "dpop",
  fapi_profile: "plain_fapi",
};
const signedVariant = {
  ...fapiVariant,
  fapi_request_method: "signed_non_repudiation",
  fapi_response_mode: "jarm",
};
const mutualVariant = { ...fapiVariant, client_auth_type: "mtls", sender_constrain: "mtls" };

function fapiPlans(provided: Provided): readonly ConformancePlan[] {
  const userinfo = `${provided.issuer}${pathTo("userinfo")}`;
  return [
    {
      name: "fapi2-final",
      plan: "fapi2-security-profile-final-test-plan",
      variant: fapiVariant,
      configuration: fapi(userinfo, "fapi"),
    },
    {
      name: "fapi2-final-mtls",
      plan: "fapi2-security-profile-final-test-plan",
      variant: mutualVariant,
      configuration: mutual(provided),
    },
    {
      name: "fapi2-signing",
      plan: "fapi2-message-signing-final-test-plan",
      variant: signedVariant,
      configuration: fapi(userinfo, "signed"),
    },
    {
      name: "fapi2-id2",
      plan: "fapi2-security-profile-id2-test-plan",
      variant: fapiVariant,
      configuration: fapi(userinfo, "draft"),
    },
  ];
}

/** The plans that fit what Postern offers. */
export function conformancePlans(provided: Provided): readonly ConformancePlan[] {
  const full = { client_auth_type: "private_key_jwt", response_type: "code", response_mode: "default" };
  return [
    { name: "config", plan: "oidcc-config-certification-test-plan", variant: {}, configuration: basic },
    { name: "basic", plan: "oidcc-basic-certification-test-plan", variant: certification, configuration: basic },
    {
      name: "form-post",
      plan: "oidcc-formpost-basic-certification-test-plan",
      variant: certification,
      configuration: basic,
    },
    {
      name: "rp-logout",
      plan: "oidcc-rp-initiated-logout-certification-test-plan",
      variant: logout,
      configuration: basic,
    },
    {
      name: "back-channel",
      plan: "oidcc-backchannel-rp-initiated-logout-certification-test-plan",
      variant: logout,
      configuration: notified("back-channel"),
    },
    {
      name: "front-channel",
      plan: "oidcc-frontchannel-rp-initiated-logout-certification-test-plan",
      variant: logout,
      configuration: notified("front-channel"),
    },
    {
      name: "session",
      plan: "oidcc-session-management-certification-test-plan",
      variant: logout,
      configuration: basic,
    },
    {
      name: "full-key",
      plan: "oidcc-test-plan",
      variant: { ...full, client_registration: "static_client" },
      configuration: key,
    },
    {
      name: "dynamic",
      plan: "oidcc-dynamic-certification-test-plan",
      variant: { response_type: "code" },
      configuration: registered,
    },
    {
      name: "third-party-login",
      plan: "oidcc-3rdparty-init-login-certification-test-plan",
      variant: { response_type: "code" },
      configuration: registered,
    },
    ...fapiPlans(provided),
  ];
}

const logsOut: Behaviour = { confirmsLogout: true };
const denies: Behaviour = { deniesConsent: true };
const signsInAgain: Behaviour = { picturesSignIn: true };
const showsConsent: Behaviour = { picturesConsent: true };
const leaves: Behaviour = { leavesFirst: true };
const fapiVersions = ["final", "id2"] as const;

/** Modules in which the user does more than sign in and consent. */
export const behaviours: Readonly<Record<string, Behaviour>> = {
  "oidcc-prompt-login": signsInAgain,
  "oidcc-max-age-1": signsInAgain,
  "oidcc-registration-logo-uri": showsConsent,
  "oidcc-registration-policy-uri": showsConsent,
  "oidcc-registration-tos-uri": showsConsent,
  "oidcc-rp-initiated-logout-no-params": logsOut,
  "oidcc-rp-initiated-logout-only-state": logsOut,
  "oidcc-rp-initiated-logout-no-post-logout-redirect-uri": logsOut,
  ...Object.fromEntries(
    fapiVersions.flatMap((version) => {
      const name = (rest: string): string => `fapi2-security-profile-${version}-${rest}`;
      return [
        [name("user-rejects-authentication"), denies],
        [name("par-ensure-reused-request-uri-prior-to-auth-completion-succeeds"), leaves],
      ];
    }),
  ),
};
