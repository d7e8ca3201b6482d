import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { AppError } from "@postern/shared/platform/errors";
import type { JWK } from "oidc-provider";
import type { OidcSettings } from "../settings/oidc-settings.ts";
import { jwkOf } from "./signing-keys.ts";

const fileSafe = /^[A-Za-z0-9_-]{1,64}$/;

type KeyConfig = OidcSettings["oidc"]["signing_keys"][number];

/** @throws AppError CONFIG_INVALID for a key that cannot be read */
export function staticKey({ id, key, key_file: file, algorithm }: KeyConfig, isActive: boolean): JWK {
  if (!fileSafe.test(id))
    throw new AppError("CONFIG_INVALID", {
      detail: `identity.oidc.signing_keys: invalid id ${id}: use letters, digits, - and _`,
    });
  try {
    const jwk = jwkOf(createPrivateKey(key === "" ? readFileSync(file, "utf8") : key), id);
    // A key with `alg` signs before one without.
    return isActive ? { ...jwk, alg: algorithm } : jwk;
  } catch (cause) {
    throw new AppError("CONFIG_INVALID", { detail: `identity.oidc.signing_keys: the key ${id} cannot be read`, cause });
  }
}

/**
 * The configured signing keys: active ones are placed before the generated keys, the others only verify.
 *
 * @throws AppError CONFIG_INVALID for a key that cannot be read
 */
export function staticKeys({ oidc }: OidcSettings, isActive: boolean): readonly JWK[] {
  return oidc.signing_keys.filter(({ active }) => active === isActive).map((key) => staticKey(key, isActive));
}
