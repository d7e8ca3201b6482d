import type { Config, OidcClientConfig } from "@postern/shared/platform/config";
import { commonChecks, type Preflight, type PreflightCheck } from "@postern/shared/platform/preflight";
import { profileSigningKey } from "./mail-clients/profile-signing-key.ts";
import { configuredKeys } from "./oidc/clients/client-keys.ts";
import type { CheckRegistration } from "./oidc/clients/client-metadata.ts";
import { staticKey } from "./oidc/keys/signing-keys.ts";
import { oidcSettings } from "./oidc/settings/oidc-settings.ts";
import { readLogo } from "./pages/logo-files.ts";
import { readTemplates } from "./pages/site-files.ts";
import { keysOfPem } from "./saml/keys/pem-keys.ts";
import { loadDocument } from "./saml/metadata/load-document.ts";
import { samlSettings } from "./saml/saml-settings.ts";

const logoNames = ["logo_file", "logo_file_dark", "icon_file"] as const;

function logoChecks(files: Readonly<Record<(typeof logoNames)[number], string>>, path: string) {
  return logoNames.map((name) => ({ path: `${path}.${name}`, run: () => readLogo(files[name]) }));
}

function pageChecks({ identity, auth }: Config): readonly PreflightCheck[] {
  const { enabled, branding, templates_folder: folder } = identity.frontend;
  if (!enabled) return [];
  return [
    ...logoChecks(branding, "identity.frontend.branding"),
    { path: "identity.frontend.templates_folder", run: () => readTemplates(folder) },
    ...auth.domains.records.flatMap(({ brand }, index) => logoChecks(brand, `auth.domains.records[${index}].brand`)),
  ];
}

/** Checks the keys of a client that authenticates with signed assertions. */
function keyChecks(client: OidcClientConfig, path: string): readonly PreflightCheck[] {
  if (client.token_endpoint_auth_method !== "private_key_jwt") return [];
  const names = ["client_public_key", "client_public_key_file", "jwks", "jwks_file"] as const;
  return names
    .filter((name) => client[name] !== "")
    .map((name) => ({ path: `${path}.${name}`, run: () => configuredKeys(client) }));
}

function clientChecks(config: Config): readonly PreflightCheck[] {
  let check: Promise<CheckRegistration> | undefined;
  // Imported only when needed, because the library prints when it is loaded.
  const checkRegistration = async (id: string): Promise<void> => {
    check ??= import("./oidc/clients/client-metadata.ts").then(({ createCheckRegistration }) =>
      createCheckRegistration(oidcSettings(config)),
    );
    await (await check)(id);
  };
  return config.identity.oidc.clients.flatMap((client, index) => {
    const path = `identity.oidc.clients[${index}]`;
    return [{ path, run: () => checkRegistration(client.client_id) }, ...keyChecks(client, path)];
  });
}

function oidcChecks(config: Config): readonly PreflightCheck[] {
  const { enabled, signing_keys: keys } = config.identity.oidc;
  if (!enabled) return [];
  return [
    ...keys.map((key, index) => ({
      path: `identity.oidc.signing_keys[${index}].${key.key === "" ? "key_file" : "key"}`,
      isSecret: true,
      run: () => staticKey(key, key.active),
    })),
    ...clientChecks(config),
  ];
}

type Provider = Config["identity"]["saml"]["service_providers"][number];

const nameOf = (cert: string): string => (cert === "" ? "cert_file" : "cert");

function providerChecks(provider: Provider, path: string, maxBytes: number): readonly PreflightCheck[] {
  const { metadata, entity_id: id } = provider;
  return [
    { path: `${path}.${nameOf(provider.cert)}`, run: () => keysOfPem(provider, id) },
    { path: `${path}.metadata.${nameOf(metadata.cert)}`, run: () => keysOfPem(metadata, `${id}'s metadata`) },
    ...(metadata.file === ""
      ? []
      : [
          {
            path: `${path}.metadata.file`,
            // The file may appear later, because it is read periodically.
            isOptional: true,
            run: () => loadDocument({ url: "", file: metadata.file }, maxBytes, new AbortController().signal),
          },
        ]),
  ];
}

function samlChecks(config: Config): readonly PreflightCheck[] {
  const { enabled, service_providers: providers, metadata, cert } = config.identity.saml;
  if (!enabled) return [];
  const own = {
    path: `identity.saml.cert${cert === "" ? "_file" : ""}`,
    isSecret: true,
    run: () => samlSettings(config),
  };
  return [
    own,
    ...providers.flatMap((provider, index) =>
      providerChecks(provider, `identity.saml.service_providers[${index}]`, metadata.max_bytes),
    ),
  ];
}

function mailClientChecks(config: Config): readonly PreflightCheck[] {
  const { enabled, profile } = config.identity.mail_clients;
  if (!enabled) return [];
  const path = `identity.mail_clients.profile.cert${profile.cert === "" ? "_file" : ""}`;
  return [{ path, isSecret: true, run: () => profileSigningKey(config) }];
}

/** Checks the files and client registrations that the configuration of the identity provider names. */
export const preflight: Preflight = (config) => [
  ...commonChecks(config),
  ...pageChecks(config),
  ...oidcChecks(config),
  ...samlChecks(config),
  ...mailClientChecks(config),
];
