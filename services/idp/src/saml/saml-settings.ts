import { createHmac, createPrivateKey, createSecretKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathTo } from "@postern/shared/contracts";
import type { Config, SamlConfig } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import { derOf, type SamlKeys } from "./keys/saml-keys.ts";

function read(pem: string, file: string): string {
  return pem === "" && file !== "" ? readFileSync(file, "utf8") : pem;
}

function configuredKeys(saml: SamlConfig): SamlKeys | undefined {
  try {
    const certificate = read(saml.cert, saml.cert_file);
    if (certificate === "") return undefined;
    const key = createPrivateKey(saml.key);
    if (key.asymmetricKeyType !== "rsa") throw new TypeError("the key is not an RSA key");
    if (!new X509Certificate(certificate).checkPrivateKey(key))
      throw new TypeError("the key does not belong to the certificate");
    const own = derOf(certificate);
    const extra = saml.extra_cert_files.map((file) => derOf(readFileSync(file, "utf8")));
    return { key, certificate: own, published: [own, ...extra] };
  } catch (cause) {
    throw new AppError("CONFIG_INVALID", { detail: "identity.saml: invalid key or certificate", cause });
  }
}

function originOf({ identity }: Config): string {
  const url = /^https?:/i.test(identity.saml.entity_id) ? URL.parse(identity.saml.entity_id) : null;
  return url?.origin ?? identity.oidc.issuer;
}

/** The part of the configuration that the SAML identity provider uses. @throws AppError CONFIG_INVALID for keys that cannot be read */
export function samlSettings(config: Config) {
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
    addresses: { sso: `${origin}${pathTo("samlSignIn")}`, slo: `${origin}${pathTo("samlLogout")}` },
    nameIdSecret: createSecretKey(secret),
    /** Undefined: keys are generated. */
    configuredKeys: configuredKeys(saml),
  };
}

export type SamlSettings = ReturnType<typeof samlSettings>;
