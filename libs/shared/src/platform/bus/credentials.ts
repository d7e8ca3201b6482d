import { readFileSync } from "node:fs";
import {
  type Authenticator,
  type ConnectionOptions,
  credsAuthenticator,
  nkeyAuthenticator,
  type TlsOptions,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from "@nats-io/transport-node";
import type { Secret } from "../crypto/secret.ts";

export type BusCredentials =
  | { readonly kind: "token"; readonly token: Secret }
  | { readonly kind: "password"; readonly user: string; readonly password: Secret }
  | { readonly kind: "nkey"; readonly seed: Secret }
  /** A NATS `.creds` file; read at each connection, so that it can be rotated. */
  | { readonly kind: "creds-file"; readonly path: string };

export interface BusTls {
  /** Paths of PEM files. */
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** Accepts any server certificate. */
  readonly skipVerify?: boolean | undefined;
}

function createAuthenticator(credentials: BusCredentials): Authenticator {
  switch (credentials.kind) {
    case "token":
      return tokenAuthenticator(() => credentials.token.reveal());
    case "password":
      return usernamePasswordAuthenticator(credentials.user, () => credentials.password.reveal());
    case "nkey":
      return nkeyAuthenticator(() => Buffer.from(credentials.seed.reveal()));
    case "creds-file":
      return (nonce) => credsAuthenticator(readFileSync(credentials.path))(nonce);
    default:
      return credentials satisfies never;
  }
}

function tlsOptions({ caFile, certFile, keyFile, skipVerify }: BusTls): TlsOptions {
  return {
    ...(caFile && { caFile }),
    ...(certFile && { certFile }),
    ...(keyFile && { keyFile }),
    // The client passes options that it does not recognise to `tls.connect`.
    ...(skipVerify && { rejectUnauthorized: false }),
  };
}

/** The NATS options that contain our credentials. */
export function securityOptions(
  credentials: BusCredentials | undefined,
  tls: BusTls | undefined,
): Pick<ConnectionOptions, "authenticator" | "tls"> {
  return {
    ...(credentials === undefined ? {} : { authenticator: createAuthenticator(credentials) }),
    ...(tls === undefined ? {} : { tls: tlsOptions(tls) }),
  };
}
