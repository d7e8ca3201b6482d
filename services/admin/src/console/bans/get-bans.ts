import type { BanRecordPage } from "@postern/shared/contracts";
import type { BruteForceRules, ListBansByEnd } from "@postern/shared/domain/brute-force";
import type { FastifyReply, FastifyRequest } from "fastify";
import { malformed } from "../../read-request.ts";
import { numberOf, textOf, unreadable } from "../query.ts";
import { writtenBan } from "../written.ts";

/** `GET /api/v1/console/bans` */
export function getBans(listBansByEnd: ListBansByEnd, rules: () => BruteForceRules) {
  return async ({ query }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const order = textOf(query, "order") ?? "desc";
    if (order !== "asc" && order !== "desc") throw malformed("order: must be asc or desc");
    const size = numberOf(query, "limit", { usual: 50, max: 500 });
    const listQuery = { order, size, rule: textOf(query, "rule"), cursor: textOf(query, "cursor") } as const;
    const { bans, total, next } = await listBansByEnd(listQuery).catch((error: unknown) => {
      throw unreadable(error);
    });
    const page: BanRecordPage = {
      bans: bans.map((ban) => writtenBan(ban, rules())),
      total,
      ...(next !== undefined && { next }),
    };
    return reply.header("cache-control", "no-store").send(page);
  };
}
