import type { FastifyReply, FastifyRequest } from "fastify";
import type { DescribeSystem } from "../../system/system-report.ts";

/** `GET /api/v1/console/system` */
export function getSystem({ describeSystem }: { readonly describeSystem: DescribeSystem }) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    reply.header("cache-control", "no-store").send(await describeSystem());
}
