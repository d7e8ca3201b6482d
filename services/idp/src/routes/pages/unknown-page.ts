import type { Caller } from "@postern/shared/platform/http";
import type { LookRequest, Pages, Shown } from "../../pages/pages.ts";
import { accountPath } from "../../pages/pages.ts";
import { errorPage } from "../../pages/templates/notices.ts";
import { referenceIn } from "../visit.ts";

interface UnknownRequest {
  readonly id: string;
  readonly caller: Caller | null;
  readonly raw: Pick<LookRequest, "headers">;
}

/** The page for a browser on a path that no route serves. */
export function unknownPage(pages: Pages) {
  return (request: UnknownRequest): Shown => {
    const look = pages.lookOf({ path: "", query: "", language: undefined, headers: request.raw.headers });
    const view = { problem: "not_found", reference: referenceIn({ request }), href: accountPath } as const;
    return pages.show(errorPage, view, look, { status: 404 });
  };
}
