import type { FlowRecord } from "../flow/flow-record.ts";
import type { NoticeOrigin } from "../notices/notice.ts";
import type { Pages } from "../pages/pages.ts";
import { lookOf, type Visit } from "./visit.ts";

const longestUserAgent = 256;

/** From where and in which language somebody acts, for what is told of it. */
export function noticeOrigin(
  pages: Pages,
  visit: Visit,
  attributes: NoticeOrigin["attributes"] | undefined,
  flow?: FlowRecord,
): NoticeOrigin {
  return {
    clientIp: visit.request.caller?.clientIp ?? "",
    userAgent: (visit.request.headers["user-agent"] ?? "").slice(0, longestUserAgent),
    language: lookOf(pages, visit, flow).language,
    attributes: attributes ?? {},
  };
}
