import { type Config, httpPoolsOf } from "@postern/shared/platform/config";
import { type PreflightCheck, tlsCheck } from "@postern/shared/platform/preflight";

/** Checks the certificates of the servers in use. */
export function httpChecks({ auth }: Config): readonly PreflightCheck[] {
  return httpPoolsOf(auth.backends).flatMap(({ path, pool }) => {
    const files = { ca: pool.tls_ca_cert, cert: pool.tls_client_cert, key: pool.tls_client_key };
    return tlsCheck(path, files, { ca: "tls_ca_cert", cert: "tls_client_cert" });
  });
}
