import { pathTo } from "@postern/shared/contracts";
import { isLanguageTag } from "@postern/shared/domain/localisation";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type ListedPage, pageList } from "../../pages/page-list.ts";
import type { Pages } from "../../pages/pages.ts";
import { sendShown } from "../visit.ts";

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
function findPage(template: string): ListedPage | undefined {
  const stem = template.replace(/\.html$/, "").replace(/^idp_/, "");
  const name = Object.hasOwn(aliases, stem) ? aliases[stem] : stem;
  return pageList.find((page) => page.name === name);
}

function parameter({ params }: FastifyRequest, name: string): string | undefined {
  const value: unknown = typeof params === "object" && params !== null ? Reflect.get(params, name) : undefined;
  return typeof value === "string" ? value : undefined;
}

/** `GET /api/v1/dev/ui/render/{template}`, optionally with a language: a page with sample data. */
export function getRender(pages: Pages) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const tag = parameter(request, "languageTag");
    const language = tag === undefined ? undefined : pages.languageOf(tag);
    const page = findPage(parameter(request, "template") ?? "");
    if (page === undefined || (tag !== undefined && !isLanguageTag(tag))) {
      return reply.code(404).send({ error: "template unknown" });
    }
    const path = pathTo("renderTemplate", { template: page.name });
    const look = pages.lookOf({ path, query: "", language, headers: request.headers });
    // Always 200, because the page's own status does not matter in a preview.
    return sendShown(reply, { ...page.preview(pages, look), status: 200 });
  };
}
