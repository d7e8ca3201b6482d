import { readFileSync } from "node:fs";
import {
  type Authenticator,
  type ConnectionOptions,
  credsAuthenticator,
  type TlsOptions,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from "@nats-io/transport-node";
import type { BusConfig } from "../config/index.ts";

/** How a connection to NATS is authenticated and protected, by the keys of its configuration. */
export type BusSecurity = Pick<BusConfig, "credentials_file" | "token" | "username" | "password" | "tls">;

function authenticatorOf({ credentials_file, token, username, password }: BusSecurity): Authenticator | undefined {
  // Read at each connection, so that it can be rotated.
  if (credentials_file !== "") return (nonce) => credsAuthenticator(readFileSync(credentials_file))(nonce);
  if (token !== "") return tokenAuthenticator(() => token);
  return username === "" ? undefined : usernamePasswordAuthenticator(username, () => password);
}

function tlsOf({ ca_file: caFile, cert: certFile, key: keyFile, skip_verify }: BusSecurity["tls"]): TlsOptions {
  return {
    ...(caFile && { caFile }),
    ...(certFile && { certFile }),
    ...(keyFile && { keyFile }),
    // The client passes options that it does not recognise to `tls.connect`.
    ...(skip_verify && { rejectUnauthorized: false }),
  };
}

/** The NATS options that contain our credentials. */
export function securityOptions(security: BusSecurity): Pick<ConnectionOptions, "authenticator" | "tls"> {
  const authenticator = authenticatorOf(security);
  return { ...(authenticator && { authenticator }), ...(security.tls.enabled && { tls: tlsOf(security.tls) }) };
}
