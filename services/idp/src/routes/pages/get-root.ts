import type { FastifyReply, FastifyRequest } from "fastify";
import { accountPath } from "../../pages/pages.ts";
import { sendTo } from "../visit.ts";

/** `GET /`: redirects to the user's account. */
export async function getRoot(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return sendTo(reply, accountPath);
}
