import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { localPath } from "../../flow/flow-paths.ts";
import { deviceFailedPage } from "../../pages/templates/device.ts";

import { lookOf, sendShown, type Visit } from "../../visit/visit.ts";
import type { DeviceDeps } from "./show-device-code.ts";

const verifyPath = pathTo("deviceCodePage");
export const failedPath = pathTo("deviceFailedPage");

/** The page for a device that was denied access. */
export function showFailed({ pages }: DeviceDeps, visit: Visit, status: number): FastifyReply {
  const look = lookOf(pages, { ...visit, path: visit.path === failedPath ? failedPath : "" });
  const again = localPath(verifyPath, visit.language?.tag);
  return sendShown(visit.reply, pages.show(deviceFailedPage, { again }, look, { status }));
}
