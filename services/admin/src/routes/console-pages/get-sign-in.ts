import type { FastifyReply, FastifyRequest } from "fastify";
import { pageWithin } from "./console-paths.ts";
import { goTo, queryOf } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./deps.ts";

/** `GET /console/sign-in`: to the identity provider; with `proof=1`, to enter password and second factor again. */
export function getSignIn({ provider, attempts, cookies, origin }: ConsolePagesDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const next = pageWithin(origin, queryOf(request, "next"));
    // The provider's redirect back will be cross-site, without this cookie.
    const replaces = cookies.read(request.headers.cookie, "session") ?? "";
    const { attempt, url } = await provider.begin({ next, replaces, isProof: queryOf(request, "proof") === "1" });
    reply.header("set-cookie", cookies.set("signIn", await attempts.keep(attempt)));
    return goTo(reply, url);
  };
}
