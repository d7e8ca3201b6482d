import type { AuthRequest } from "@postern/shared/contracts";
import { Secret } from "@postern/shared/crypto";

/** An `AuthRequest` inside the engine: its password is a `Secret` from the first moment on. */
export type Attempt = Omit<AuthRequest, "password"> & { readonly password: Secret | undefined };

export function attemptOf({ password, ...request }: AuthRequest): Attempt {
  return { ...request, password: password === undefined ? undefined : new Secret(password) };
}
