import { createSecureContext } from "node:tls";
import { type ListenerTls, readSecureContext } from "@postern/shared/platform/http";
import { commonChecks, type Preflight, type PreflightCheck } from "@postern/shared/platform/preflight";
import { gatewaySettings } from "./settings.ts";

function readsTls(path: string, tls: ListenerTls | undefined): readonly PreflightCheck[] {
  if (tls === undefined) return [];
  return [{ path, isSecret: true, run: async () => createSecureContext(await readSecureContext(tls)) }];
}

/** What the gateway opens and compiles from its configuration. */
export const preflight: Preflight = (config) => {
  const { tls, grpc, certificateAddresses, certificateTls } = gatewaySettings(config);
  return [
    ...commonChecks(config),
    ...readsTls("runtime.servers.http.tls.cert", tls),
    ...readsTls(
      "runtime.servers.http.client_certificates.ca_file",
      certificateAddresses.length > 0 ? certificateTls : undefined,
    ),
    ...readsTls("runtime.servers.grpc.authority.tls.cert", grpc?.tls),
  ];
};
