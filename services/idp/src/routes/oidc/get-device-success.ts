import { deviceSuccessPage } from "../../pages/templates/device.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendShown } from "../visit.ts";
import type { DeviceDeps } from "./show-device-code.ts";

export function getSuccess({ pages }: DeviceDeps): VisitHandler {
  return async (visit) => sendShown(visit.reply, pages.show(deviceSuccessPage, {}, lookOf(pages, visit)));
}
