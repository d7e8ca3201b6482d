import type { OidcClientConfig } from "@postern/shared/platform/config";
import { decodeProtectedHeader } from "jose";
import { acceptsSignature } from "../settings/client-profile.ts";

/** Whether the profile of the client excludes the algorithm of a proof. False for an unreadable proof, which verification rejects later. */
export function isExcludedProof(proof: unknown, config: OidcClientConfig): boolean {
  if (typeof proof !== "string") return false;
  try {
    return !acceptsSignature(config, decodeProtectedHeader(proof).alg ?? "");
  } catch {
    return false;
  }
}
