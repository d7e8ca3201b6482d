import { createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { SamlConfig, SamlProviderConfig } from "@postern/shared/config";
import { AppError } from "@postern/shared/errors";
import { demandsOf, type MfaPolicyConfig, type SignInDemands } from "../login/sign-in-demands.ts";
import type { Sender } from "./inbound/read-message.ts";

export interface Consumer {
  readonly url: string;
  readonly index: number;
}

/** A service provider as it is used. */
export interface Provider extends Sender {
  readonly entityId: string;
  readonly config: SamlProviderConfig;
  readonly demands: SignInDemands;
  /** The default first. */
  readonly consumers: readonly [Consumer, ...Consumer[]];
  /** Encrypts its assertions. */
  readonly encryptionKey: KeyObject | undefined;
}

export interface Providers {
  find(entityId: string): Provider | undefined;
  readonly all: readonly Provider[];
}

/** Scheme and host in lower case, no slash at the end, no fragment (behaviour reference §3.1). */
function sameEntity(entityId: string): string {
  const url = /^https?:/i.test(entityId) ? URL.parse(entityId) : null;
  if (url === null) return entityId;
  url.hash = "";
  return url.href.replace(/\/$/, "");
}

const pemBlock = /-----BEGIN (CERTIFICATE|PUBLIC KEY)-----[A-Za-z0-9+/=\s]+-----END \1-----/g;

function keysOf({ cert, cert_file: file, entity_id: entityId }: SamlProviderConfig): readonly KeyObject[] {
  const pem = cert === "" && file !== "" ? readFileSync(file, "utf8") : cert;
  if (pem === "") return [];
  try {
    const blocks = pem.match(pemBlock) ?? [];
    if (blocks.length === 0) throw new TypeError("no PEM");
    return blocks.map((block) =>
      block.startsWith("-----BEGIN CERT") ? new X509Certificate(block).publicKey : createPublicKey(block),
    );
  } catch (cause) {
    const detail = `identity.saml.service_providers: the certificate of ${entityId} cannot be read`;
    throw new AppError("CONFIG_INVALID", { detail, cause });
  }
}

function consumersOf(config: SamlProviderConfig): Provider["consumers"] {
  const { acs_url: url, assertion_consumer_services: services } = config;
  const further = services.map(({ url: other, index }) => ({ url: other, index }));
  const preferred = services.find((service) => service.default);
  const free = [0, 1, 2, 3].find((index) => further.every((other) => other.index !== index)) ?? 65_535;
  const all = url === "" ? further : [{ url, index: free }, ...further];
  const [first, ...rest] = all.toSorted((a, b) => Number(b.url === preferred?.url) - Number(a.url === preferred?.url));
  if (first === undefined) throw new AppError("CONFIG_INVALID", { detail: `${config.entity_id}: no acs_url` });
  return [first, ...rest];
}

function providerOf(config: SamlProviderConfig, mfaPolicy: MfaPolicyConfig): Provider {
  const keys = keysOf(config);
  const { authn_requests_signed, logout_requests_signed, logout_responses_signed, encryption } = config;
  const demanded = {
    AuthnRequest: authn_requests_signed,
    LogoutRequest: logout_requests_signed,
    LogoutResponse: logout_responses_signed,
  };
  const rsaKey = keys.find(({ asymmetricKeyType: type }) => type === "rsa");
  return {
    entityId: config.entity_id,
    config,
    demands: demandsOf(config, mfaPolicy),
    keys,
    consumers: consumersOf(config),
    encryptionKey: encryption === "none" ? undefined : rsaKey,
    mayOmitSignature: (name) => !demanded[name],
  };
}

/** @throws AppError CONFIG_INVALID for a certificate that cannot be read */
export function createProviders(
  { service_providers }: Pick<SamlConfig, "service_providers">,
  mfaPolicy: MfaPolicyConfig,
): Providers {
  const all = service_providers.map((config) => providerOf(config, mfaPolicy));
  const byId = new Map(all.map((provider) => [sameEntity(provider.entityId), provider]));
  return { all, find: (entityId) => byId.get(sameEntity(entityId)) };
}
