import type { OidcClientConfig } from "@postern/shared/platform/config";
import { decodeProtectedHeader } from "jose";
import { acceptsSignature } from "../settings/client-profile.ts";

/** Whether the profile of the client excludes the algorithm of a proof. One that cannot be read is refused by those who verify it. */
export function isExcludedProof(proof: unknown, config: OidcClientConfig): boolean {
  if (typeof proof !== "string") return false;
  try {
    return !acceptsSignature(config, decodeProtectedHeader(proof).alg ?? "");
  } catch {
    return false;
  }
}
