/** Endpoint for logout messages of a binding (saml-metadata §2.2.2). */
export interface LogoutService {
  readonly binding: string;
  readonly location: string;
  /** Endpoint for responses, if it differs. */
  readonly responseLocation: string | undefined;
}

export interface ConsumerService {
  readonly url: string;
  readonly index: number;
}

/** `md:EncryptionMethod` (saml-metadata §2.4.1.1), by URIs. */
export interface EncryptionMethod {
  readonly algorithm: string;
  readonly digest: string | undefined;
  /** Mask generation function of `rsa-oaep`. */
  readonly mask: string | undefined;
}

/** The part of a service provider's metadata that is used; plain data that can be passed between threads. */
export interface EntityFacts {
  readonly entityId: string;
  /** Expiry in milliseconds since the epoch; undefined: none. */
  readonly validUntilMs: number | undefined;
  /** Endpoints of the POST binding, the default first (saml-metadata §2.4.4). */
  readonly consumers: readonly ConsumerService[];
  readonly logoutServices: readonly LogoutService[];
  /** Base64 of DER. */
  readonly signingCertificates: readonly string[];
  /** Base64 of DER. */
  readonly encryptionCertificates: readonly string[];
  /** Supported content encryption and key transport, the preferred first; empty if not stated. */
  readonly encryptionMethods: readonly EncryptionMethod[];
  readonly nameIdFormats: readonly string[];
  readonly authnRequestsSigned: boolean;
}

/** A metadata document. */
export interface MetadataFacts {
  /** The wanted entities that the document contains, by entity ID. */
  readonly entities: readonly EntityFacts[];
  /** How long the document may be cached, in milliseconds. */
  readonly cacheMs: number | undefined;
}
