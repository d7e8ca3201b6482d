/** Where logout messages of a binding go (saml-metadata §2.2.2). */
export interface LogoutService {
  readonly binding: string;
  readonly location: string;
  /** Of responses, where it is another. */
  readonly responseLocation: string | undefined;
}

export interface ConsumerService {
  readonly url: string;
  readonly index: number;
}

/** What a service provider's metadata says, as far as it is used; plain data that crosses threads. */
export interface EntityFacts {
  readonly entityId: string;
  /** Milliseconds since the epoch, from which on none of this counts; undefined: no end is told. */
  readonly validUntilMs: number | undefined;
  /** Of the POST binding, the default first (saml-metadata §2.4.4). */
  readonly consumers: readonly ConsumerService[];
  readonly logoutServices: readonly LogoutService[];
  /** Base64 of DER. */
  readonly signingCertificates: readonly string[];
  /** Base64 of DER. */
  readonly encryptionCertificates: readonly string[];
  /** URIs of content encryption that it says it can read; empty: it does not say. */
  readonly encryptionMethods: readonly string[];
  readonly nameIdFormats: readonly string[];
  readonly authnRequestsSigned: boolean;
}

/** A document that was read. */
export interface MetadataFacts {
  /** Those that were asked for and are there, by entity ID. */
  readonly entities: readonly EntityFacts[];
  /** For how long its publisher lets it be kept before it is asked again, in milliseconds. */
  readonly cacheMs: number | undefined;
}
