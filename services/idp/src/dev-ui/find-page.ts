import { type ListedPage, pageList } from "../pages/page-list.ts";

/** Template file names of Nauthilus that differ from the page names here. */
const aliases: Readonly<Record<string, string>> = {
  mfa_select: "mfa",
  totp_verify: "totp",
  recovery_login: "recovery",
  "2fa_home": "home",
  device_verify: "device",
  device_verify_success: "device_success",
  device_verify_failed: "device_failed",
};

/** Finds a page by its name or by the file name of a template: `idp_login.html` is `login`. */
export function findPage(template: string): ListedPage | undefined {
  const stem = template.replace(/\.html$/, "").replace(/^idp_/, "");
  const name = Object.hasOwn(aliases, stem) ? aliases[stem] : stem;
  return pageList.find((page) => page.name === name);
}
