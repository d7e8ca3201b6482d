import { type Config, httpPoolsOf } from "@postern/shared/platform/config";
import { type PreflightCheck, poolTlsCheck } from "@postern/shared/platform/preflight";

/** Checks the certificates of the servers in use. */
export function httpChecks({ auth }: Config): readonly PreflightCheck[] {
  return httpPoolsOf(auth.backends).flatMap(({ path, pool }) => poolTlsCheck(path, pool));
}
