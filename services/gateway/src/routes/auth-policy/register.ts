import { operation } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GatewayContext } from "../../context.ts";
import { notFoundReply } from "../../http/reply.ts";
import { sendReply } from "../../http/reply.ts";
import { postAuthPolicy } from "./post-auth-policy.ts";

/** The auth-policy protocol; 404 unless `runtime.servers.http.auth_policy_endpoint` is true. */
export function registerAuthPolicy(app: FastifyInstance, context: GatewayContext): void {
  const { live, names, policyCallerAuth, authPolicy } = context;
  const disabled = (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    if (live.current.authPolicyEndpoint) next();
    else sendReply(reply, notFoundReply(names, request.id));
  };
  const answer = postAuthPolicy(authPolicy);
  const errorHandler = (thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    // The body is JSON, whatever the request says.
    if (thrown.code !== "FST_ERR_CTP_INVALID_MEDIA_TYPE") throw thrown;
    void answer(request, reply);
  };
  const guarded = { onRequest: [disabled, policyCallerAuth], errorHandler };
  app.route({ ...routeOf(operation("authPolicy")), ...guarded, handler: postAuthPolicy(authPolicy) });
  app.route({ ...routeOf(operation("authPolicyPing")), ...guarded, handler: postAuthPolicy(authPolicy) });
}
