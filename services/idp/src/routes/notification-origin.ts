import type { FlowRecord } from "../flow/flow-record.ts";
import type { Pages } from "../pages/pages.ts";
import type { NotificationOrigin } from "../user-notifications/notification.ts";
import { lookOf, type Visit } from "./visit.ts";

const longestUserAgent = 256;

/** Client address, browser and language of a visit, for user notifications. */
export function notificationOrigin(
  pages: Pages,
  visit: Visit,
  attributes: NotificationOrigin["attributes"] | undefined,
  flow?: FlowRecord,
): NotificationOrigin {
  return {
    clientIp: visit.request.caller?.clientIp ?? "",
    userAgent: (visit.request.headers["user-agent"] ?? "").slice(0, longestUserAgent),
    language: lookOf(pages, visit, flow).language,
    attributes: attributes ?? {},
  };
}
