import { createSecureContext } from "node:tls";
import { readSecureContext } from "@postern/shared/platform/http";
import { commonChecks, type Preflight, type PreflightCheck } from "@postern/shared/platform/preflight";
import { gatewaySettings } from "./settings.ts";

/** What the gateway opens and compiles from its configuration. */
export const preflight: Preflight = (config) => {
  const { tls, grpc, certificateAddresses, certificateTls } = gatewaySettings(config);
  const listeners: PreflightCheck[] = [];
  if (tls !== undefined) {
    listeners.push({
      path: "runtime.servers.http.tls.cert",
      isSecret: true,
      run: async () => createSecureContext(await readSecureContext(tls)),
    });
  }
  if (certificateAddresses.length > 0 && certificateTls !== undefined) {
    listeners.push({
      path: "runtime.servers.http.client_certificates.ca_file",
      isSecret: true,
      run: async () => createSecureContext(await readSecureContext(certificateTls)),
    });
  }
  if (grpc?.tls !== undefined) {
    const { clientCaFile: caFile, ...files } = grpc.tls;
    listeners.push({
      path: "runtime.servers.grpc.authority.tls.cert",
      isSecret: true,
      run: async () => createSecureContext(await readSecureContext({ ...files, caFile })),
    });
  }
  return [...commonChecks(config), ...listeners];
};
