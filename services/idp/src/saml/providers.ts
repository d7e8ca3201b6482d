import type { KeyObject } from "node:crypto";
import type { SamlConfig, SamlProviderConfig } from "@postern/shared/config";
import { AppError } from "@postern/shared/errors";
import type { Clock } from "@postern/shared/time";
import { demandsOf, type MfaPolicyConfig, type SignInDemands } from "../login/sign-in-demands.ts";
import type { Sender } from "./inbound/read-message.ts";
import type { EntityFacts } from "./metadata/entity-facts.ts";
import { hasMetadata } from "./metadata/metadata-sources.ts";
import { keysOfCertificates, withMetadata } from "./metadata/with-metadata.ts";
import { keysOfPem } from "./pem-keys.ts";
import { SamlRefusal } from "./refusal.ts";
import { sameEntity } from "./same-entity.ts";

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
  /** End of its metadata, in milliseconds since the epoch. */
  readonly validUntilMs: number | undefined;
}

export interface Providers {
  /** Undefined too while its metadata are over, or were never there. */
  find(entityId: string): Provider | undefined;
  /**
   * As `find`, for a message that names its sender.
   * @throws SamlRefusal `metadata_expired` when its metadata are over; AppError UPSTREAM_UNAVAILABLE when they were never there
   */
  sender(entityId: string): Provider | undefined;
  /** Those that can be used. */
  readonly all: readonly Provider[];
}

export interface ProvidersDeps {
  readonly factsOf: (config: SamlProviderConfig) => EntityFacts | undefined;
  readonly clock: Clock;
  /** What is demanded where an entry says nothing. */
  readonly mfaPolicy: MfaPolicyConfig;
}

function consumersOf(config: SamlProviderConfig, facts: EntityFacts | undefined): readonly Consumer[] {
  const { acs_url: url, assertion_consumer_services: services } = config;
  const further = services.map(({ url: other, index }) => ({ url: other, index }));
  const preferred = services.find((service) => service.default);
  const free = [0, 1, 2, 3].find((index) => further.every((other) => other.index !== index)) ?? 65_535;
  const all = url === "" ? further : [{ url, index: free }, ...further];
  if (all.length === 0) return facts?.consumers ?? [];
  return all.toSorted((a, b) => Number(b.url === preferred?.url) - Number(a.url === preferred?.url));
}

interface Keys {
  readonly signing: readonly KeyObject[];
  readonly encrypting: readonly KeyObject[];
}

function keysFor(config: SamlProviderConfig, facts: EntityFacts | undefined): Keys {
  const configured = keysOfPem(config, config.entity_id);
  if (configured.length > 0 || facts === undefined) return { signing: configured, encrypting: configured };
  const { signingCertificates, encryptionCertificates } = facts;
  return {
    signing: keysOfCertificates(signingCertificates),
    encrypting: keysOfCertificates(encryptionCertificates),
  };
}

/** Undefined while there is nowhere to send assertions: its metadata are awaited. */
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
    LogoutRequest: config.logout_requests_signed,
    LogoutResponse: config.logout_responses_signed,
  };
  const rsaKey = keys.encrypting.find(({ asymmetricKeyType: type }) => type === "rsa");
  return {
    entityId: config.entity_id,
    config,
    demands: demandsOf(configured, mfaPolicy),
    keys: keys.signing,
    consumers: [first, ...rest],
    encryptionKey: config.encryption === "none" ? undefined : rsaKey,
    validUntilMs: facts?.validUntilMs,
    mayOmitSignature: (name) => !demanded[name],
  };
}

/** @throws AppError CONFIG_INVALID for a certificate that cannot be read */
export function createProviders(
  { service_providers: configured }: Pick<SamlConfig, "service_providers">,
  { factsOf, clock, mfaPolicy }: ProvidersDeps,
): Providers {
  const byId = new Map<string, Provider | undefined>();
  for (const config of configured) {
    const facts = hasMetadata(config) ? factsOf(config) : undefined;
    const isAwaited = hasMetadata(config) && facts === undefined;
    byId.set(sameEntity(config.entity_id), isAwaited ? undefined : providerOf(config, facts, mfaPolicy));
  }
  const isOver = ({ validUntilMs }: Provider): boolean => (validUntilMs ?? Infinity) <= clock.now();
  const find: Providers["find"] = (entityId) => {
    const provider = byId.get(sameEntity(entityId));
    return provider === undefined || isOver(provider) ? undefined : provider;
  };
  return {
    get all() {
      return [...byId.values()].flatMap((provider) => (provider === undefined || isOver(provider) ? [] : [provider]));
    },
    find,
    sender: (entityId) => {
      const name = sameEntity(entityId);
      const provider = byId.get(name);
      if (provider !== undefined && isOver(provider)) {
        throw new SamlRefusal("metadata_expired", "the service provider's metadata are over");
      }
      if (provider === undefined && byId.has(name)) {
        throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `no metadata of ${name} yet` });
      }
      return provider;
    },
  };
}
