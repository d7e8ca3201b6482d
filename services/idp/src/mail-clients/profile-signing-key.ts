import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Config } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import type { ProfileSigningKey } from "./sign-profile.ts";

const certificateBlock = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const curve = "prime256v1";

/** Undefined: profiles are not signed. @throws AppError CONFIG_INVALID for a key or certificate that cannot be used */
export function profileSigningKey({ identity }: Config): ProfileSigningKey | undefined {
  const { cert, cert_file: file, key: pem } = identity.mail_clients.profile;
  if (cert === "" && file === "") return undefined;
  try {
    const blocks = (cert === "" ? readFileSync(file, "utf8") : cert).match(certificateBlock) ?? [];
    const certificates = blocks.map((block) => new X509Certificate(block));
    const key = createPrivateKey(pem);
    const isUsable =
      key.asymmetricKeyType === "rsa" ||
      (key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === curve);
    if (!isUsable) throw new TypeError("the key is neither an RSA nor a P-256 key");
    const [own] = certificates;
    if (own?.checkPrivateKey(key) !== true) throw new TypeError("the key does not belong to the first certificate");
    return { key, certificates: certificates.map(({ raw }) => raw) };
  } catch (cause) {
    throw new AppError("CONFIG_INVALID", {
      detail: "identity.mail_clients.profile: invalid key or certificate",
      cause,
    });
  }
}
