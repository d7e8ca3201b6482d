import { type KeyObject, X509Certificate } from "node:crypto";
import type { SamlConfig, SamlProviderConfig } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import { type DomainLimit, domainLimit } from "../domains/account-domains.ts";
import { demandsOf, type MfaPolicyConfig, type SignInDemands } from "../second-factors/sign-in-demands.ts";
import { keysOfPem } from "./keys/pem-keys.ts";
import { type LogoutEndpoints, logoutEndpointsOf } from "./logout/logout-endpoints.ts";
import { hasMetadata } from "./metadata/metadata-source.ts";
import type { ConsumerService, EncryptionMethod, EntityFacts } from "./metadata/read-metadata.ts";
import { bindings, sameEntity } from "./protocol/names.ts";
import { SamlRefusal } from "./protocol/refusal.ts";
import { encryptionOfUri, encryptions } from "./xml/encrypt-xml.ts";
import { commonTransport, hashesOf, type KeyTransport } from "./xml/key-transport.ts";
import { requestedKind } from "./xml/name-id.ts";
import type { Sender } from "./xml/verify-message.ts";

/** The first supported format; `unspecified` expresses no preference. */
function nameIdFormatOf({ nameIdFormats }: EntityFacts): SamlProviderConfig["name_id_format"] {
  return nameIdFormats.map(requestedKind).find((kind) => kind !== undefined && kind !== "any") ?? "";
}

/** Only https, because we send requests there. */
function backChannelOf({ logoutServices }: EntityFacts): string {
  const address = logoutServices.find(({ binding }) => binding === bindings.soap)?.location ?? "";
  return address.startsWith("https:") ? address : "";
}

const or = <T extends string>(configured: T, fallback: T): T => (configured === "" ? fallback : configured);

/**
 * The configuration completed by the metadata. Configured values take precedence; a signature is required if either
 * requires it.
 */
function withMetadata(config: SamlProviderConfig, facts: EntityFacts): SamlProviderConfig {
  return {
    ...config,
    slo_back_channel_url: or(config.slo_back_channel_url, backChannelOf(facts)),
    name_id_format: or(config.name_id_format, nameIdFormatOf(facts)),
    encryption:
      config.encryption === "auto" ? (encryptionWay(facts.encryptionMethods).name ?? "auto") : config.encryption,
    authn_requests_signed: config.authn_requests_signed || facts.authnRequestsSigned,
  };
}

function keysOfCertificates(certificates: readonly string[]): readonly KeyObject[] {
  return certificates.map((certificate) => new X509Certificate(Buffer.from(certificate, "base64")).publicKey);
}

/** A service provider with its metadata applied. */
export interface Provider extends Sender {
  readonly entityId: string;
  readonly config: SamlProviderConfig;
  readonly demands: SignInDemands;
  /** Whose users may use it. */
  readonly limit: DomainLimit;
  /** The default first. */
  readonly consumers: readonly [ConsumerService, ...ConsumerService[]];
  readonly logout: LogoutEndpoints;
  /** The key that encrypts its assertions. */
  readonly encryptionKey: KeyObject | undefined;
  readonly keyTransport: KeyTransport;
  /** Expiry of its metadata, in milliseconds since the epoch. */
  readonly validUntilMs: number | undefined;
}

function consumersOf(config: SamlProviderConfig, facts: EntityFacts | undefined): readonly ConsumerService[] {
  const { acs_url: url, assertion_consumer_services: services } = config;
  const further = services.map(({ url: other, index }) => ({ url: other, index }));
  const preferred = services.find((service) => service.default);
  const free = [0, 1, 2, 3].find((index) => further.every((other) => other.index !== index)) ?? 65_535;
  const all = url === "" ? further : [{ url, index: free }, ...further];
  if (all.length === 0) return facts?.consumers ?? [];
  return all.toSorted((a, b) => Number(b.url === preferred?.url) - Number(a.url === preferred?.url));
}

function keysFor(config: SamlProviderConfig, facts: EntityFacts | undefined) {
  const configured = keysOfPem(config, config.entity_id);
  if (configured.length > 0 || facts === undefined) return { signing: configured, encrypting: configured };
  const { signingCertificates, encryptionCertificates } = facts;
  return {
    signing: keysOfCertificates(signingCertificates),
    encrypting: keysOfCertificates(encryptionCertificates),
  };
}

/** Undefined if no assertion consumer is known because its metadata is not loaded yet. */
function providerOf(
  configured: SamlProviderConfig,
  facts: EntityFacts | undefined,
  mfaPolicy: MfaPolicyConfig,
): Provider | undefined {
  const keys = keysFor(configured, facts);
  const [first, ...rest] = consumersOf(configured, facts);
  if (first === undefined) return undefined;
  const config = facts === undefined ? configured : withMetadata(configured, facts);
  const demanded = {
    AuthnRequest: config.authn_requests_signed,
    // saml-profiles §4.4.3.1: messages through the browser must be signed, or any page could sign users out.
    LogoutRequest: config.logout_requests_signed || (keys.signing.length > 0 && !config.allow_unsigned_logout_requests),
    LogoutResponse: config.logout_responses_signed,
  };
  const rsaKey = keys.encrypting.find(({ asymmetricKeyType: type }) => type === "rsa");
  return {
    entityId: config.entity_id,
    config,
    demands: demandsOf(configured, mfaPolicy),
    limit: domainLimit(configured.domains),
    keys: keys.signing,
    consumers: [first, ...rest],
    logout: logoutEndpointsOf(configured, facts),
    encryptionKey: config.encryption === "none" ? undefined : rsaKey,
    keyTransport: encryptionWay(facts?.encryptionMethods ?? []).transport,
    validUntilMs: facts?.validUntilMs,
    mayOmitSignature: (name) => !demanded[name],
  };
}

/**
 * @throws AppError CONFIG_INVALID for a certificate that cannot be read
 * @param mfaPolicy default demands.
 */
export function createProviders(
  { service_providers: configured }: Pick<SamlConfig, "service_providers">,
  factsOf: (config: SamlProviderConfig) => EntityFacts | undefined,
  clock: Clock,
  mfaPolicy: MfaPolicyConfig,
) {
  const byId = new Map<string, Provider | undefined>();
  for (const config of configured) {
    const facts = hasMetadata(config) ? factsOf(config) : undefined;
    const isAwaited = hasMetadata(config) && facts === undefined;
    byId.set(sameEntity(config.entity_id), isAwaited ? undefined : providerOf(config, facts, mfaPolicy));
  }
  const isOver = ({ validUntilMs }: Provider): boolean => (validUntilMs ?? Infinity) <= clock.now();
  const find = (entityId: string): Provider | undefined => {
    const provider = byId.get(sameEntity(entityId));
    return provider === undefined || isOver(provider) ? undefined : provider;
  };
  return {
    /** All usable service providers. */
    get all(): readonly Provider[] {
      return [...byId.values()].flatMap((provider) => (provider === undefined || isOver(provider) ? [] : [provider]));
    },
    /** Also undefined if its metadata has expired or was never loaded. */
    find,
    /** Whether it takes logout messages over SOAP, even if it cannot be used until its metadata is loaded (again). */
    hasSoapLogout: (entityId: string): boolean => {
      const name = sameEntity(entityId);
      const provider = byId.get(name)?.config ?? configured.find(({ entity_id: id }) => sameEntity(id) === name);
      return (provider?.slo_back_channel_url ?? "") !== "";
    },
    /**
     * Does what `find` does, for a message that contains its sender.
     * @throws SamlRefusal `metadata_expired` if its metadata has expired; AppError UPSTREAM_UNAVAILABLE if it was never loaded
     */
    sender: (entityId: string): Provider | undefined => {
      const name = sameEntity(entityId);
      const provider = byId.get(name);
      if (provider !== undefined && isOver(provider)) {
        throw new SamlRefusal("metadata_expired", "the service provider's metadata has expired");
      }
      if (provider === undefined && byId.has(name)) {
        throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `the metadata of ${name} is not loaded yet` });
      }
      return provider;
    },
  };
}

export type Providers = ReturnType<typeof createProviders>;

const sha1 = "http://www.w3.org/2000/09/xmldsig#sha1";

/** Selects from the methods that the service provider names: content encryption, key transport, both or neither. */
function encryptionWay(methods: readonly EncryptionMethod[]) {
  const named = new Set(methods.map(({ algorithm }) => encryptionOfUri(algorithm)));
  const transport = methods
    .map(({ algorithm, digest = sha1, mask }): KeyTransport => ({ algorithm, digest, mask }))
    .find((candidate) => hashesOf(candidate) !== undefined);
  return { name: encryptions.find((name) => named.has(name)), transport: transport ?? commonTransport };
}
