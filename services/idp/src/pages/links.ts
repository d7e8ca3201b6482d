import type { Config } from "@postern/shared/platform/config";
import type { Brand, FootLink } from "./look.ts";

type LinksConfig = Config["identity"]["frontend"]["links"];

/** The links at the foot of the pages. */
export function footLinks(links: LinksConfig): readonly FootLink[] {
  const all: readonly FootLink[] = [
    { key: "common.support", url: links.support_url },
    { key: "common.privacy", url: links.privacy_policy_url },
    { key: "common.terms", url: links.terms_of_service_url },
  ];
  return all.filter(({ url }) => url !== "");
}

/** Where users reset or change their password. */
export function passwordLinks(links: LinksConfig): Pick<Brand, "passwordForgotten" | "passwordChange"> {
  return {
    passwordForgotten: links.password_forgotten_url === "" ? undefined : links.password_forgotten_url,
    passwordChange: links.password_change_url || links.password_forgotten_url || undefined,
  };
}
