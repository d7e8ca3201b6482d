import { createHmac, createPrivateKey, createSecretKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Config, SamlConfig } from "@postern/shared/config";
import { AppError } from "@postern/shared/errors";
import type { MfaPolicyConfig } from "../login/sign-in-demands.ts";
import { derOf, type SamlKeys } from "./keys/saml-keys.ts";
import type { SamlAddresses } from "./outbound/metadata.ts";

/** What the SAML identity provider takes of the configuration. */
export interface SamlSettings {
  readonly saml: SamlConfig;
  readonly entityId: string;
  readonly mfaPolicy: MfaPolicyConfig;
  readonly addresses: SamlAddresses;
  /** Makes persistent name IDs. */
  readonly nameIdSecret: KeyObject;
  /** Undefined: keys are made. */
  readonly configuredKeys: SamlKeys | undefined;
}

function read(pem: string, file: string): string {
  return pem === "" && file !== "" ? readFileSync(file, "utf8") : pem;
}

function configuredKeys(saml: SamlConfig): SamlKeys | undefined {
  try {
    const certificate = read(saml.cert, saml.cert_file);
    if (certificate === "") return undefined;
    const key = createPrivateKey(saml.key);
    if (key.asymmetricKeyType !== "rsa") throw new TypeError("not an RSA key");
    if (!new X509Certificate(certificate).checkPrivateKey(key)) throw new TypeError("not the certificate's key");
    const own = derOf(certificate);
    const extra = saml.extra_cert_files.map((file) => derOf(readFileSync(file, "utf8")));
    return { key, certificate: own, published: [own, ...extra] };
  } catch (cause) {
    throw new AppError("CONFIG_INVALID", { detail: "identity.saml: key or certificate cannot be used", cause });
  }
}

function originOf({ identity }: Config): string {
  const url = /^https?:/i.test(identity.saml.entity_id) ? URL.parse(identity.saml.entity_id) : null;
  return url?.origin ?? identity.oidc.issuer;
}

/** @throws AppError CONFIG_INVALID for keys that cannot be read */
export function samlSettings(config: Config): SamlSettings {
  const { saml } = config.identity;
  const origin = originOf(config);
  const { encryption_secret: fallback } = config.storage.redis;
  const secret =
    saml.persistent_id_secret === ""
      ? createHmac("sha256", fallback).update("SAML persistent name IDs").digest()
      : Buffer.from(saml.persistent_id_secret, "utf8");
  return {
    saml,
    entityId: saml.entity_id,
    mfaPolicy: config.identity.mfa_policy,
    addresses: { sso: `${origin}/saml/sso`, slo: `${origin}/saml/slo` },
    nameIdSecret: createSecretKey(secret),
    configuredKeys: configuredKeys(saml),
  };
}
