import type { VisitHandler } from "../page-routes.ts";

import type { DeviceDeps } from "./show-device-code.ts";
import { showFailed } from "./show-device-failed.ts";

/** `GET /oidc/device/verify/failed` */
export function getDeviceFailed(deps: DeviceDeps): VisitHandler {
  return async (visit) => showFailed(deps, visit, 200);
}
