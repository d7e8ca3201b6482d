import { html } from "@postern/shared/platform/pages";
import type { FastifyReply, FastifyRequest } from "fastify";
import { pageWithin } from "./console-paths.ts";
import { sendNotice, sendPage } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./deps.ts";

const maxCodeLength = 64;

/** `POST /console/sign-in`: to the identity provider, with an invitation code that is used when the operator comes back. */
export function postSignIn(deps: ConsolePagesDeps) {
  const { provider, attempts, cookies, origin } = deps;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body, headers } = request;
    if (headers.origin !== origin || !(body instanceof URLSearchParams)) return sendNotice(deps, reply, "form");
    const invitation = (body.get("code") ?? "").trim().slice(0, maxCodeLength);
    const replaces = cookies.read(headers.cookie, "session") ?? "";
    const next = pageWithin(origin, undefined);
    const { attempt, url } = await provider.begin({ next, replaces, isProof: false, invitation });
    reply.header("set-cookie", cookies.set("signIn", await attempts.keep(attempt)));
    // Browsers apply the page's policy for forms to the redirects after a form, and it permits the console only.
    const page = html`<h1>Sign in</h1><a class="button" href="${url}">Continue</a>`;
    return sendPage(deps, reply, { title: "Sign in", goesTo: url, body: page });
  };
}
