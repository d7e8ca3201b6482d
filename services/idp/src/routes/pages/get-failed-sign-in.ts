import type { FastifyReply, FastifyRequest } from "fastify";
import { type FailedSignIns, referenceOf } from "../../login/failed-sign-ins.ts";

export interface ReferenceParams {
  readonly Params: { readonly reference: string };
}

const longest = 64;

/** `GET /api/v1/sign-ins/{reference}`: for operators to whom a user reports the reference of a page. */
export function getFailedSignIn(failedSignIns: Pick<FailedSignIns, "find">) {
  return async ({ params }: FastifyRequest<ReferenceParams>, reply: FastifyReply): Promise<FastifyReply> => {
    const input = params.reference.trim();
    // Users read references out, so the case of a GUID is ignored.
    const reference = referenceOf(/^[0-9a-f-]+$/iu.test(input) ? input.toLowerCase() : input);
    const found = reference.length > longest ? undefined : await failedSignIns.find(reference);
    if (found === undefined) return reply.code(404).send({ error: "no failed sign-in is stored for this reference" });
    const { timeMs, clientIp, ...named } = found;
    reply.header("cache-control", "no-store");
    return reply.send({ ...named, time: new Date(timeMs).toISOString(), client_ip: clientIp });
  };
}
