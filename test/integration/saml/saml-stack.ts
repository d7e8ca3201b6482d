import { scratchFolder } from "@postern/testing";
import type { StackOptions } from "../../support/stack.ts";
import type { Tree } from "../../support/stack-config.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";
import { type KeyPair, keyPair } from "./key-pair.ts";

export const entityId = "http://localhost:8080/saml/metadata";
export const sso = "http://localhost:8080/saml/sso";
export const slo = "http://localhost:8080/saml/slo";

export interface SamlStack extends AsyncDisposable {
  readonly idp: IdpStack;
  /** The key of the service provider `urn:test:signed`. */
  readonly sp: KeyPair;
  /** A key that no service provider is configured with. */
  readonly unregistered: KeyPair;
}

/** Idp with several kinds of service providers. */
export async function startSamlStack(
  backChannelUrl: string,
  { oidc = {}, shape }: { readonly oidc?: Tree } & Pick<StackOptions, "shape"> = {},
): Promise<SamlStack> {
  await using started = new AsyncDisposableStack();
  const folder = started.use(await scratchFolder());
  const [sp, unregistered] = await Promise.all([keyPair(folder.path, "sp"), keyPair(folder.path, "unregistered")]);
  const idp = started.use(
    await startIdpStack(
      {
        identity: {
          oidc,
          saml: {
            enabled: true,
            entity_id: entityId,
            persistent_id_secret: "a-secret-that-is-kept-for-ever",
            // Longer than a busy machine needs to answer.
            slo: { back_channel_enabled: true, request_timeout: "10s" },
            service_providers: [
              {
                name: "Example wiki",
                entity_id: "urn:test:signed",
                acs_url: "https://wiki.example.test/acs",
                slo_url: "https://wiki.example.test/slo",
                cert: sp.cert,
                authn_requests_signed: true,
                logout_requests_signed: true,
                allowed_attributes: ["mail", "displayName", "password"],
                attribute_preset: "urn_oid",
              },
              {
                entity_id: "urn:test:plain",
                acs_url: "https://plain.example.test/acs",
                assertion_consumer_services: [{ url: "https://plain.example.test/acs2", index: 7 }],
                slo_url: "https://plain.example.test/slo",
                slo_back_channel_url: backChannelUrl,
                name_id_format: "email",
                attributes: [{ attribute: "uid", name: "login" }],
              },
              { entity_id: "urn:test:mfa", acs_url: "https://mfa.example.test/acs", require_mfa: ["totp"] },
            ],
          },
        },
      },
      { shape },
    ),
  );
  const owned = started.move();
  return { idp, sp, unregistered, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
